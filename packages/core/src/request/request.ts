import type { Incoming as ServerIncoming } from "@tenon/server";
import { refuseType } from "../body/body-error.ts";
import { type Form, isForm, parseForm } from "../body/form.ts";
import type { RequestLimits } from "../body/limits.ts";
import { parseQuery } from "../body/query.ts";
import { readStreamedForm, type StreamedField } from "../body/streamed-file.ts";
import { HttpError } from "../support/errors.ts";

/** A request as an engine passes it to the kernel: the port between the two. */
export interface Incoming extends ServerIncoming {
  /** What `ctx.id` is, where the engine knows one. Defaults to a random id. */
  readonly id?: string;
  /** A command or a job: its words and flags come from no URL, it has no media type, and its `method` is "". */
  readonly isCommand?: true;
}

/** What a view reads from: the state of its request. */
export interface ViewedRequest {
  readonly incoming: Incoming;
  readonly params: { toMap(): Record<string, string> };
  readonly tools: { readonly limits: RequestLimits };
  readonly bodyLimit: number | undefined;
  /** Undefined until it is read. */
  body: Uint8Array | Promise<Uint8Array> | undefined;
  readBody(): Uint8Array | Promise<Uint8Array>;
}

/** The request as maps and bytes: `ctx.request()`. The maps have no prototype and are the caller's own. */
export class RequestView {
  readonly #request: ViewedRequest;
  readonly #incoming: Incoming;
  readonly #limits: RequestLimits;
  #form: Promise<Form> | undefined;

  constructor(request: ViewedRequest) {
    this.#request = request;
    this.#incoming = request.incoming;
    this.#limits = request.tools.limits;
  }

  params(): Record<string, string> {
    return this.#request.params.toMap();
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
    return Promise.resolve(this.#request.readBody());
  }

  /** The form up to its streamed file, which is read while it arrives: for endpoints that declare one. */
  streamForm(field: StreamedField): Promise<Record<string, unknown>> {
    const { body, formParts } = this.#limits;
    const limits = { body: this.#request.bodyLimit ?? body, formParts };
    const contentType = this.#incoming.header("content-type") ?? "";
    return readStreamedForm(this.#stream(limits.body + field.max), contentType, field, limits);
  }

  /** A body that a middleware has read is in memory already. */
  #stream(limit: number): AsyncIterable<Uint8Array> {
    const { bodyTimeout } = this.#limits;
    const incoming = this.#incoming;
    if (this.#request.body !== undefined) return toChunks(this.#request.body);
    if (incoming.streamBody === undefined) return toChunks(incoming.readBody(limit, bodyTimeout));
    const cause = new Error("The body is streamed.");
    this.#request.body = Promise.reject(new HttpError(500, "Internal Server Error", { cause }));
    this.#request.body.catch(() => {}); // most handlers do not read it again
    return incoming.streamBody(limit, bodyTimeout);
  }

  /** The body as a form, urlencoded or multipart. Rejects like `body()`, and with a BindError for any other content type. */
  form(): Promise<Form> {
    if (this.#form === undefined) {
      this.#form = this.#readForm();
      this.#form.catch(() => {}); // a handler may forget to await it: the unhandled rejection would crash the process
    }
    return this.#form;
  }

  /** The client's IP address. Proxy headers count only from trusted peers. */
  address(): string {
    return this.#incoming.address;
  }

  /** The IP address at the other end of the connection, before any proxy header; undefined in `app.fetch`. */
  peer(): string | undefined {
    return this.#incoming.peer;
  }

  /** `http` or `https`. */
  protocol(): string {
    return this.#incoming.protocol;
  }

  /** `host[:port]` as the client sent it. Never build a link for another user from it. */
  host(): string {
    return this.#incoming.host;
  }

  async #readForm(): Promise<Form> {
    const type = this.#incoming.header("content-type") ?? "";
    if (!isForm(type)) refuseType(type);
    return parseForm(await this.body(), type, this.#limits);
  }
}

async function* toChunks(body: Uint8Array | Promise<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield await body;
}
