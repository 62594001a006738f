import type { Socket } from "node:net";
import { discard } from "../../body/stream.ts";
import type { ErrorFormat } from "../../request/error-format.ts";
import type { Outgoing, Upgrade } from "../../request/reply.ts";
import type { EngineOptions } from "../engine.ts";
import { inspect, isRefusal, type Refusal, toErrorBody } from "../inspect.ts";
import { pump, TextBuffers } from "../pump.ts";
import { Turns } from "../turns.ts";
import { declaredLengthOf, writeResponse } from "../write.ts";
import type { WireMessage } from "./message.ts";

/** What becomes of a request that was read: inspection → kernel → response. */
export class Exchange {
  readonly #options: EngineOptions;
  /** End event streams. */
  readonly #endings = new Set<() => void>();
  /** Connections that have changed to another protocol, and what ends each. */
  readonly #upgraded = new Map<Socket, () => void>();
  /** One function for all of them: each would take memory for as long as its connection is open. */
  readonly #onUpgradedClose: (this: Socket) => void;
  readonly #streams = new Turns(10);
  readonly #texts = new TextBuffers();
  /** Those of pipelined requests. */
  readonly turns = new Turns();
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    const upgraded = this.#upgraded;
    this.#onUpgradedClose = function () {
      upgraded.delete(this);
    };
  }

  get upgraded(): ReadonlyMap<Socket, unknown> {
    return this.#upgraded;
  }

  /** From now on every response closes its connection. */
  beginStop(): void {
    this.#stopping = true;
  }

  endStreams(): void {
    for (const end of this.#endings) end();
    for (const end of this.#upgraded.values()) end();
  }

  /** False when the request was refused: then the response is written. */
  admit(message: WireMessage): boolean {
    const { connection, expect } = message;
    const head = inspect(message, this.#options.settings, connection.host);
    if (isRefusal(head)) {
      this.#refuse(message, head);
      return false;
    }
    if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
      this.#refuse(message, { status: 417, reason: "Expect" });
      return false;
    }
    connection.host = head.host || undefined; // HTTP/1.0 requests may have none
    message.inspected = head;
    return true;
  }

  handle(message: WireMessage): void {
    const { broken } = message.connection;
    if (broken !== undefined) message.breakBody(broken);
    const outgoing = this.#options.handler.handle(message);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#write(message, ready));
    else this.#write(message, outgoing);
  }

  /** A route has replied with an upgrade. */
  #takeOver(message: WireMessage, outgoing: Outgoing): void {
    const upgrade = outgoing.body as Upgrade; // the body of this status
    const buffered = message.destroyed ? undefined : message.detach();
    if (buffered === undefined) {
      upgrade.discard();
      if (!message.destroyed) sendError(message, 426, this.#options.settings.errors, upgrade.protocol);
      return;
    }
    const { socket } = message;
    try {
      const end = upgrade.take(socket, buffered, [...(outgoing.extraHeaders() ?? [])]);
      this.#upgraded.set(socket, end);
      socket.on("close", this.#onUpgradedClose);
      if (this.#stopping) end(); // the others were ended before
    } catch (error) {
      this.#logError(error, message, "the upgrade failed");
      socket.on("error", () => {}).destroy();
    }
  }

  #write(message: WireMessage, outgoing: Outgoing): void {
    message.releaseBody();
    if (outgoing.status === 101) {
      this.#takeOver(message, outgoing);
      return;
    }
    const { settings, unread } = this.#options;
    const { connection } = message;
    if (message.timedOut) connection.timedOut();
    if (outgoing.closes || message.leavesTooMuch(settings.limits.body)) connection.closing = true;
    else if ((this.#stopping || connection.broken !== undefined) && !connection.hasWaiting) connection.closing = true;
    const isHead = message.method === "HEAD";
    try {
      const stream = writeResponse(message, outgoing, { isHead, close: connection.closing, unread });
      if (stream !== undefined) this.#pump(message, outgoing, stream);
    } catch (error) {
      this.#logError(error, message, "the response could not be written");
      discard(outgoing.body);
      if (message.headersSent) message.destroy();
      else sendError(message, 500, settings.errors);
    }
  }

  #pump(message: WireMessage, outgoing: Outgoing, stream: AsyncIterator<unknown>): void {
    void pump(message, stream, declaredLengthOf(outgoing), {
      socket: message.socket,
      eventStream: outgoing.type.startsWith("text/event-stream"),
      unread: this.#options.unread,
      turns: this.#streams,
      texts: this.#texts,
      endings: this.#endings,
      onEarlyEnd: () => message.abort(),
      onError: (error) => this.#logError(error, message, "the stream failed"),
    });
    if (this.#stopping) this.endStreams(); // one that opens after the others were ended
  }

  #logError(error: unknown, { method, path }: WireMessage, text: string): void {
    this.#options.log.error({ err: error }, `${method} ${path}: ${text}`);
  }

  #refuse(message: WireMessage, { status, reason }: Refusal): void {
    if (status !== 204) this.#options.log.info({ status, reason }, "refused");
    sendError(message, status, this.#options.settings.errors);
  }
}

function sendError(message: WireMessage, status: number, format: ErrorFormat, protocol?: string): void {
  message.connection.closing = true;
  const body = status === 204 ? "" : toErrorBody(status, format);
  const wanted = protocol === undefined ? [] : ["upgrade", protocol];
  const type = [...wanted, "content-type", format.type, "content-length", String(Buffer.byteLength(body))];
  message.send(status, body === "" ? [] : type, message.method === "HEAD" ? null : body, true);
}
