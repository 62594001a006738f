import type { Incoming as ServerIncoming } from "@tenon/server";
import { toRequestBody } from "@tenon/server/internal";
import { refuseType } from "../body/body-error.ts";
import { type Form, isForm, parseForm } from "../body/form.ts";
import type { RequestLimits } from "../body/limits.ts";
import { parseQuery } from "../body/query.ts";
import { readStreamedForm, type StreamedField } from "../body/streamed-file.ts";
import { HttpError } from "../support/errors.ts";
import { MalformedTarget } from "../support/path.ts";

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
  #bodyError: unknown;

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
    if (this.#request.body !== undefined) return toChunks(this.#request.body);
    this.#refuseReaders();
    return this.#openBody(limit);
  }

  #refuseReaders(): void {
    const cause = new Error("The body is streamed.");
    this.#request.body = Promise.reject(new HttpError(500, "Internal Server Error", { cause }));
    this.#request.body.catch(() => {}); // most handlers do not read it again
  }

  #openBody(limit: number): AsyncIterable<Uint8Array> {
    const { bodyTimeout } = this.#limits;
    return this.#incoming.streamBody?.(limit, bodyTimeout) ?? toChunks(this.#incoming.readBody(limit, bodyTimeout));
  }

  /**
   * The request for a fetch handler, which alone reads the body from here on. The path of its URL is the one that was
   * matched, byte for byte: where a URL would have another one, as for `/a\b`, the response is 400.
   */
  toWebRequest(): Request {
    const { method, path, search, protocol, host, signal } = this.#incoming;
    const url = URL.parse(`${protocol}://${host || "localhost"}${path}${search && `?${search}`}`);
    // a router inside the handler would otherwise serve a path whose guards have not run
    if (url?.pathname !== path) throw new MalformedTarget();
    const init = { method, headers: this.headers(), signal };
    if (method === "GET" || method === "HEAD") return new Request(url, init);
    if (this.#request.body !== undefined) throw new Error(alreadyRead);
    this.#refuseReaders();
    // a variable, because TypeScript's types of browsers, with which applications share code, have no `duplex`
    const withBody = { ...init, body: toRequestBody(() => this.#readLater()), duplex: "half" as const };
    return new Request(url, withBody);
  }

  async *#readLater(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#openBody(this.#request.bodyLimit ?? this.#limits.body);
    } catch (error) {
      this.#bodyError = error;
      throw error;
    }
  }

  /** Throws where the body of `toWebRequest()` was too large, too slow or cut off, whatever its reader made of that. */
  checkWebBody(): void {
    if (this.#bodyError !== undefined) throw this.#bodyError;
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

const alreadyRead =
  "toWebRequest(): the body was already read, so the fetch handler cannot read it. Use no middleware that reads bodies on this route, and call toWebRequest() once.";

async function* toChunks(body: Uint8Array | Promise<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield await body;
}
