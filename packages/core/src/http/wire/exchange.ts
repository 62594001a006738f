import type { Socket } from "node:net";
import type { Outgoing, Upgrade } from "../../request/reply.ts";
import type { EngineOptions } from "../engine.ts";
import { inspect, isRejected } from "../inspect.ts";
import { Responder } from "../responder.ts";
import { RoundRobin } from "../round-robin.ts";
import type { WireMessage } from "./message.ts";

/** What becomes of a request that was read: inspection → kernel → response. */
export class Exchange {
  readonly #options: EngineOptions;
  /** Connections that have changed to another protocol, and what ends each. */
  readonly upgraded = new Map<Socket, () => void>();
  /** One function for all of them: each would take memory for as long as its connection is open. */
  readonly #onUpgradedClose: (this: Socket) => void;
  readonly responder: Responder;
  /** Those of pipelined requests. */
  readonly turns = new RoundRobin();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.responder = new Responder(options);
    const { upgraded } = this;
    this.#onUpgradedClose = function () {
      upgraded.delete(this);
    };
  }

  endStreams(): void {
    this.responder.endStreams();
    for (const end of this.upgraded.values()) end();
  }

  /** False when the request was refused: then the response is written. */
  admit(message: WireMessage): boolean {
    const { expect } = message;
    const head = inspect(message, this.#options.settings);
    if (isRejected(head)) this.responder.refuse(message, head);
    else if (expect !== undefined && expect.toLowerCase() !== "100-continue")
      this.responder.refuse(message, { status: 417, reason: "Expect" });
    else {
      message.inspected = head;
      return true;
    }
    return false;
  }

  handle(message: WireMessage): void {
    const outgoing = this.#options.handler.handle(message);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#write(message, ready));
    else this.#write(message, outgoing);
  }

  /** A route has replied with an upgrade. */
  #takeOver(message: WireMessage, outgoing: Outgoing): void {
    const upgrade = outgoing.body as Upgrade; // the body of this status
    const buffered = message.destroyed ? undefined : message.detach();
    if (buffered === undefined) {
      this.responder.refuseUpgrade(message, upgrade);
      return;
    }
    const { socket } = message;
    try {
      const end = upgrade.take(socket, buffered, [...(outgoing.extraHeaders() ?? [])]);
      this.upgraded.set(socket, end);
      socket.on("close", this.#onUpgradedClose);
      if (this.responder.stopping) end(); // the others were ended before
    } catch (error) {
      this.responder.logError(error, message, "the upgrade failed");
      socket.on("error", () => {}).destroy();
    }
  }

  #write(message: WireMessage, outgoing: Outgoing): void {
    message.releaseBody();
    if (outgoing.status === 101) {
      this.#takeOver(message, outgoing);
      return;
    }
    const { lifetime } = message;
    if (outgoing.closes || message.leavesTooMuch(this.#options.settings.limits.body)) lifetime.closing = true;
    else if ((this.responder.stopping || lifetime.broken) && !message.input.hasWaiting) lifetime.closing = true;
    void this.responder.write(outgoing, lifetime.closing, message, message, message);
  }
}
