import { DelegatedIncoming } from "@tenon/core/platform";

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
