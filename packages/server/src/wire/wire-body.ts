import { type BodySource, IncomingBody } from "../body/incoming-body.ts";
import type { BodySink } from "./body-decoder.ts";
import type { WireSocket } from "./wire-socket.ts";

/** The body of a request on a socket, unless all of it has arrived with the head. */
export class WireBody extends IncomingBody implements BodySink {
  readonly #wire: WireSocket;
  /** Undefined for a body in chunks. */
  readonly #length: number | undefined;
  readonly #expect: string | undefined;

  constructor(wire: WireSocket, length: number | undefined, expect?: string) {
    const { bodies, options } = wire.parts.exchange;
    const source: BodySource = {
      start: (isStream) => {
        if (isStream) wire.deadline = 0; // each chunk has a timeout of its own
        wire.resume();
        wire.allowBody(expect);
      },
      resume: () => wire.resume(),
    };
    super(length, source, bodies, options.toBodyError);
    this.#wire = wire;
    this.#length = length;
    this.#expect = expect;
  }

  static arrived(wire: WireSocket, bytes: Uint8Array): WireBody {
    const body = new WireBody(wire, bytes.byteLength);
    if (bytes.byteLength > 0) body.push(bytes);
    body.end();
    return body;
  }

  takeBody(bytes: Uint8Array): void {
    if (!this.push(bytes)) this.#wire.socket.pause();
  }

  override release(): void {
    super.release();
    if (this.timedOut) this.#wire.timedOut();
  }

  /** The rest will not arrive, or is malformed. */
  break(status: number, detail?: string): void {
    this.fail(this.#wire.parts.exchange.options.toBodyError(status, detail));
  }

  /** During a stop: fails a body of which no byte has arrived since the last call. */
  giveUpStalled(): void {
    if (this.isStalled()) this.break(503, "The server is stopping.");
  }

  /** Whether it was not read, so that the connection should carry no other request. */
  leavesTooMuch(): boolean {
    if (this.wasRead) return !this.complete;
    if (this.#length === undefined) return true; // it has no length that says how much is left
    if (this.complete) return false;
    return this.failed || this.#expect !== undefined || this.#length > this.#wire.parts.exchange.options.limits.body;
  }
}
