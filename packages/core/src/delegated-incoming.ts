import type { Incoming } from "./request.ts";

/** The base of an `Incoming` that changes another one. Reads through it, because an engine computes some parts on demand only. */
export class DelegatedIncoming implements Incoming {
  readonly id?: string;
  readonly #incoming: Incoming;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
    if (incoming.id !== undefined) this.id = incoming.id;
  }

  get method(): string {
    return this.#incoming.method;
  }

  get path(): string {
    return this.#incoming.path;
  }

  get search(): string {
    return this.#incoming.search;
  }

  get address(): string {
    return this.#incoming.address;
  }

  get peer(): string | undefined {
    return this.#incoming.peer;
  }

  get protocol(): string {
    return this.#incoming.protocol;
  }

  get host(): string {
    return this.#incoming.host;
  }

  get signal(): AbortSignal {
    return this.#incoming.signal;
  }

  header(name: string): string | undefined {
    return this.#incoming.header(name);
  }

  headers(): Record<string, string> {
    return this.#incoming.headers();
  }

  readBody(limit: number, timeout: number): Promise<Uint8Array> {
    return this.#incoming.readBody(limit, timeout);
  }
}
