import type { Incoming } from "@tenon/core/platform";

/** The base of an `Incoming` that changes another one. Reads through it, because an engine computes some parts on demand only. */
class DelegatedIncoming implements Incoming {
  readonly id?: string;
  readonly streamBody?: NonNullable<Incoming["streamBody"]>;
  method: string;
  readonly #incoming: Incoming;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
    this.method = incoming.method;
    if (incoming.streamBody !== undefined) this.streamBody = incoming.streamBody.bind(incoming);
    if (incoming.id !== undefined) this.id = incoming.id;
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

  readBody(limit: number, timeout: number): Uint8Array | Promise<Uint8Array> {
    return this.#incoming.readBody(limit, timeout);
  }
}

/** Keeps the body that the application has read. */
export class RecordedIncoming extends DelegatedIncoming {
  #body: Uint8Array | undefined;

  /** Undefined until it is read. */
  get body(): Uint8Array | undefined {
    return this.#body;
  }

  override async readBody(limit: number, timeout: number): Promise<Uint8Array> {
    const bytes = await super.readBody(limit, timeout);
    this.#body = bytes;
    return bytes;
  }
}

/** `/_dev/requests.json` is the page `/_dev/requests` for a client that prefers JSON. */
export class JsonIncoming extends DelegatedIncoming {
  override get path(): string {
    return super.path.slice(0, -".json".length);
  }

  override header(name: string): string | undefined {
    return name === "accept" ? "application/json" : super.header(name);
  }
}
