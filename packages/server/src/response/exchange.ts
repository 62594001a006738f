import { BodyMemory } from "../body/body-memory.ts";
import { discard } from "../body/stream.ts";
import type { HeaderValue, Incoming, Outgoing } from "../handler.ts";
import type { ServerOptions } from "../options.ts";
import { type Inspected, inspect, isRejected, type RejectedRequest, type RequestHead } from "../request/inspect.ts";
import { ProxyTrust } from "../request/proxy.ts";
import { pump, Slices, type StreamTarget, sliceBytes } from "./pump.ts";
import { isBodiless, toHeaderList } from "./response-head.ts";
import { RoundRobin } from "./round-robin.ts";
import { SlowClients } from "./slow-clients.ts";
import { Upgrades } from "./upgrades.ts";

/** A request that a transport has read, and where its response is written. Header lists are names and values, alternating. */
export interface Message extends Incoming, RequestHead, StreamTarget {
  method: string;
  inspected: Inspected;
  /** The value of `Expect`; undefined where the transport has seen to it. */
  readonly expect: string | undefined;
  /** Decides whether the connection closes after a response. */
  closesAfter(outgoing: Outgoing, stopping: boolean): boolean;
  /** Writes a response in one piece, after which the body is not needed any more. */
  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void;
  /** Begins a response whose body `pump` writes. Its head goes with the first bytes. */
  begin(status: number, headers: HeaderValue[], close: boolean): void;
  /** Gives up the socket, and returns the bytes that follow the request. Undefined where it cannot be taken over. */
  detach(): Uint8Array | undefined;
}

/** What becomes of the requests of a server: inspection → handler → response. The same for each transport. */
export class Exchange {
  readonly options: ServerOptions;
  readonly bodies: BodyMemory;
  readonly trust: ProxyTrust;
  readonly slowClients: SlowClients;
  readonly upgrades = new Upgrades();
  /** The turns of pipelined requests. */
  readonly pipelined = new RoundRobin();
  /** Set when a stop begins: every response closes its connection, and event streams that open later end at once. */
  stopping = false;
  /** End the open event streams. */
  readonly #endings = new Set<() => void>();
  readonly #turns = new RoundRobin(10);

  constructor(options: ServerOptions) {
    const { limits, log, toBodyError, trustedProxies } = options;
    this.options = options;
    this.bodies = new BodyMemory(limits.bodyBytesTotal, toBodyError);
    this.trust = new ProxyTrust(trustedProxies, (message) => log.warn({}, message));
    this.slowClients = new SlowClients(limits, log);
  }

  endStreams(): void {
    for (const end of this.#endings) end();
    this.upgrades.end();
  }

  /** False when the request was refused: then the response is written. */
  admit(message: Message): boolean {
    const { expect } = message;
    const head = inspect(message, this.options);
    if (isRejected(head)) this.refuse(message, head);
    else if (expect !== undefined && expect.toLowerCase() !== "100-continue")
      this.refuse(message, { status: 417, reason: "Expect" });
    else {
      message.inspected = head;
      return true;
    }
    return false;
  }

  handle(message: Message): void {
    const outgoing = this.options.handler.handle(message);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#respond(message, ready));
    else this.#respond(message, outgoing);
  }

  /** Responds to a request that does not reach the handler. */
  refuse(message: Message, { status, reason }: RejectedRequest): void {
    if (status === 204) message.send(status, [], null, true);
    else {
      this.options.log.info({ status, reason }, "refused");
      this.#sendError(message, status, reason);
    }
  }

  #respond(message: Message, outgoing: Outgoing): void {
    if (outgoing.status === 101) this.#takeOver(message, outgoing);
    else if (message.destroyed) discard(outgoing.body);
    else this.#write(message, outgoing, message.closesAfter(outgoing, this.stopping));
  }

  #takeOver(message: Message, outgoing: Outgoing): void {
    try {
      const protocol = this.upgrades.takeOver(message, outgoing);
      if (protocol !== undefined) this.#sendError(message, 426, "upgrade", ["upgrade", protocol]);
    } catch (error) {
      this.#logError(error, message, "the upgrade failed");
      message.socket.on("error", () => {}).destroy();
    }
  }

  /** Writes a whole body, or starts to write a stream. */
  #write(message: Message, outgoing: Outgoing, close: boolean): void {
    const { body, status, type } = outgoing;
    try {
      const headers = toHeaderList(outgoing, message.method === "HEAD");
      if (body === null || message.method === "HEAD" || isBodiless(status)) {
        discard(body);
        message.send(status, headers, null, close);
      } else if (typeof body === "string" || body instanceof Uint8Array) {
        const size = Number(headers.at(-1)); // the length comes last, and such a body has one
        if (size > this.options.limits.pendingBytes) this.slowClients.check(size);
        if (size <= sliceBytes) message.send(status, headers, body, close);
        else {
          message.begin(status, headers, close);
          this.#pump(message, new Slices(typeof body === "string" ? Buffer.from(body) : body), headers, false);
        }
      } else {
        const iterator = (body as AsyncIterable<unknown>)[Symbol.asyncIterator](); // an upgrade has another status; first, because a stream in use throws, which is a 500
        message.begin(status, headers, close);
        this.#pump(message, iterator, headers, type.startsWith("text/event-stream"));
      }
    } catch (error) {
      this.#logError(error, message, "the response could not be written");
      discard(body);
      this.#sendError(message, 500, "response");
    }
  }

  #pump(message: Message, body: AsyncIterator<unknown>, headers: readonly HeaderValue[], eventStream: boolean): void {
    const length = headers.at(-2) === "content-length" ? Number(headers.at(-1)) : undefined;
    void pump(message, body, length, {
      eventStream,
      slowClients: this.slowClients,
      turns: this.#turns,
      endings: this.#endings,
      onError: (error) => this.#logError(error, message, "the stream failed"),
    });
    if (this.stopping) this.endStreams(); // one that opens after the others were ended
  }

  #logError(error: unknown, { method, path }: Message, text: string): void {
    this.options.log.error({ err: error }, `${method} ${path}: ${text}`);
  }

  #sendError(message: Message, status: number, reason: string, headers: readonly string[] = []): void {
    const { type, body } = this.options.toRefusal(status, reason);
    const described = ["content-type", type, "content-length", String(Buffer.byteLength(body))];
    message.send(status, [...headers, ...described], message.method === "HEAD" ? null : body, true);
  }
}
