import { refuseType } from "./body.ts";
import { type Form, isForm, parseForm } from "./form.ts";
import type { Incoming } from "./incoming.ts";
import type { RequestLimits } from "./limits.ts";
import { parseQuery } from "./query.ts";

interface Params {
  toMap(): Record<string, string>;
}

/** The request as maps and bytes: `ctx.request()`. The maps have no prototype and are the caller's own. */
export class RequestView {
  readonly #incoming: Incoming;
  readonly #params: Params;
  readonly #limits: RequestLimits;
  readonly #bodyLimit: () => number;
  #body: Promise<Uint8Array> | undefined;
  #form: Promise<Form> | undefined;

  constructor(incoming: Incoming, params: Params, limits: RequestLimits, bodyLimit: () => number) {
    this.#incoming = incoming;
    this.#params = params;
    this.#limits = limits;
    this.#bodyLimit = bodyLimit;
  }

  params(): Record<string, string> {
    return this.#params.toMap();
  }

  queries(): Record<string, string> {
    return parseQuery(this.#incoming.search, this.#limits.queryPairs);
  }

  /** By lower-case name. */
  headers(): Record<string, string> {
    return this.#incoming.headers();
  }

  /** The raw bytes; empty without a body. Rejects when the body is too large, too slow or cut off. */
  body(): Promise<Uint8Array> {
    this.#body ??= this.#incoming.readBody(this.#bodyLimit(), this.#limits.bodyTimeout);
    return this.#body;
  }

  /** The body as a form, urlencoded or multipart. Rejects like `body()`, and with a BindError when it is none. */
  form(): Promise<Form> {
    if (this.#form === undefined) {
      this.#form = this.#readForm();
      this.#form.catch(ignore); // a handler that forgets to await it must not hand a client the end of the process
    }
    return this.#form;
  }

  /** The caller's IP address. Proxy headers count only from trusted peers. */
  address(): string {
    return this.#incoming.address;
  }

  /** The IP address at the other end of the connection, whatever proxies say; undefined in `app.fetch`. */
  peer(): string | undefined {
    return this.#incoming.peer;
  }

  /** `http` or `https`. */
  protocol(): string {
    return this.#incoming.protocol;
  }

  /** `host[:port]` as the client named it; never build a link for somebody else from it. */
  host(): string {
    return this.#incoming.host;
  }

  async #readForm(): Promise<Form> {
    const type = this.#incoming.header("content-type") ?? "";
    if (!isForm(type)) refuseType(type);
    return parseForm(await this.body(), type, this.#limits);
  }
}

function ignore(): void {}
