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

interface Params {
  toMap(): Record<string, string>;
}

/** The request as maps and bytes: `ctx.request()`. The maps have no prototype and are the caller's own. */
export class RequestView {
  readonly #incoming: Incoming;
  readonly #params: Params;
  readonly #limits: RequestLimits;
  readonly #bodyLimit: () => number;
  #body: Uint8Array | Promise<Uint8Array> | undefined;
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
    return Promise.resolve(this.readBody());
  }

  /** Like `body()`, but without a promise where the body has arrived with its head: for code that reads input. */
  readBody(): Uint8Array | Promise<Uint8Array> {
    this.#body ??= this.#incoming.readBody(this.#bodyLimit(), this.#limits.bodyTimeout);
    return this.#body;
  }

  /** The form up to its streamed file, which is read while it arrives: for endpoints that declare one. */
  streamForm(field: StreamedField): Promise<Record<string, unknown>> {
    const limits = { body: this.#bodyLimit(), formParts: this.#limits.formParts };
    const contentType = this.#incoming.header("content-type") ?? "";
    return readStreamedForm(this.#stream(limits.body + field.max), contentType, field, limits);
  }

  /** A body that a middleware has read is in memory already. */
  #stream(limit: number): AsyncIterable<Uint8Array> {
    const { bodyTimeout } = this.#limits;
    const incoming = this.#incoming;
    if (this.#body !== undefined) return toChunks(this.#body);
    if (incoming.streamBody === undefined) return toChunks(incoming.readBody(limit, bodyTimeout));
    this.#body = Promise.reject(
      new HttpError(500, "Internal Server Error", { cause: new Error("The body is streamed.") }),
    );
    this.#body.catch(() => {}); // most handlers do not read it again
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

/** A connection that stays open after its response. */
export interface KeptConnection {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

/**
 * What is kept of a request whose connection stays open after its response. Copies: strings that are parts of the head
 * would keep all of it in memory. The headers are one text, because few connections read them again.
 */
export class KeptIncoming implements Incoming {
  declare readonly method: string;
  declare readonly path: string;
  declare readonly search: string;
  declare readonly address: string;
  declare readonly peer: string | undefined;
  declare readonly protocol: string;
  declare readonly host: string;
  readonly #headers: string;
  readonly #connection: KeptConnection;
  #controller: AbortController | undefined;

  constructor(incoming: Incoming, connection: KeptConnection) {
    const { method, path, search, address, peer, protocol, host } = incoming;
    Object.assign(this, JSON.parse(JSON.stringify({ method, path, search, address, peer, protocol, host })));
    this.#headers = JSON.stringify(incoming.headers());
    this.#connection = connection;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const abort = () => controller.abort(new Error("the client went away"));
      if (this.#connection.destroyed) abort();
      else this.#connection.once("close", abort);
    }
    return this.#controller.signal;
  }

  header(name: string): string | undefined {
    return this.headers()[name];
  }

  headers(): Record<string, string> {
    return Object.assign(Object.create(null), JSON.parse(this.#headers));
  }

  /** It has arrived before the response, and was read then or not at all. */
  readBody(): Uint8Array {
    return new Uint8Array();
  }
}
