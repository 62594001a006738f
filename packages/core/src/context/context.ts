import { randomUUID } from "node:crypto";
import { bind } from "../dto/bind.ts";
import type { InferOutput, Schema } from "../dto/standard-schema.ts";
import type { Log } from "../log.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { Reply, StatusReply } from "../pipeline/reply.ts";
import { type CookieOptions, parseCookies, serializeCookie } from "./cookies.ts";
import type { Incoming } from "./incoming.ts";
import type { RequestLimits } from "./limits.ts";
import { type Progress, silentProgress } from "./progress.ts";
import { findInPlainQuery, parseQuery } from "./query.ts";
import { RequestView } from "./request.ts";
import { ResponseHeaders } from "./response-headers.ts";
import { findValue, type SetValue } from "./value-list.ts";
import type { ParamNames, ValueName, ValueOf } from "./values.ts";

/** The route that answers a request, as it was declared. */
export interface MatchedRoute {
  /** That of a HEAD request is `GET` when a GET route answers it. Undefined for commands. */
  readonly method: string | undefined;
  /** With the names of its parameters: `/posts/:id`. */
  readonly path: string;
  /** The name of the class that declares it. */
  readonly controller: string;
  readonly handler: string;
}

/** What the router found, as the context needs it. */
export interface RouteParams {
  readonly route: MatchedRoute | undefined;
  param(name: string): string;
  /** By name, without a prototype, a new one each time. */
  toMap(): Record<string, string>;
  /** What `*` matched, segment by segment. */
  rest(): readonly string[];
}

/** Sees what goes out and may change it; runs for errors and misses too, the last one registered first. */
export type ReplyHook = (outgoing: Outgoing) => void;

/** The context of a request. A path types the names that `param()` takes: `Context<"/posts/:id">`. */
export type Context<Path extends string = string> = RequestContext<ParamNames<Path>>;

/** One request, and what will be answered to it. */
export class RequestContext<in Param extends string = string> {
  readonly #incoming: Incoming;
  readonly #limits: RequestLimits;
  readonly #log: Log;
  readonly #params: RouteParams;
  #id: string | undefined;
  #requestLog: Log | undefined;
  #request: RequestView | undefined;
  #queries: Record<string, string> | undefined;
  #cookies: Record<string, string> | undefined;
  #values: SetValue | undefined;
  #headers: ResponseHeaders | undefined;
  #hooks: ReplyHook[] | undefined;
  #bodyLimit: number | undefined;

  constructor(incoming: Incoming, params: RouteParams, limits: RequestLimits, log: Log) {
    this.#incoming = incoming;
    this.#params = params;
    this.#limits = limits;
    this.#log = log;
  }

  get method(): string {
    return this.#incoming.method;
  }

  /** The path as it was sent, without query. */
  get path(): string {
    return this.#incoming.path;
  }

  /** The route that answers; undefined on a miss. */
  get route(): MatchedRoute | undefined {
    return this.#params.route;
  }

  /** Names this request in logs. Random, unless the request-id middleware took the client's. */
  get id(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }

  set id(id: string) {
    this.#id = id;
    this.#requestLog = undefined;
  }

  /** A log whose lines carry the id of this request. */
  get log(): Log {
    this.#requestLog ??= this.#log.child({ id: this.id });
    return this.#requestLog;
  }

  /** Aborted when the client goes away. */
  get signal(): AbortSignal {
    return this.#incoming.signal;
  }

  /** A path parameter, decoded; "" when the path has none of that name. */
  param(name: Param): string {
    return this.#params.param(name);
  }

  /** What `*` matched, segment by segment: a "/" inside a segment was `%2F` on the wire and separates nothing. */
  wildcard(): readonly string[] {
    return this.#params.rest();
  }

  /** A query parameter; "" when it is absent, the first one when it is repeated. */
  query(name: string): string {
    return this.queryDefault(name, "");
  }

  /** A query parameter, or the default when it is absent. An empty one is not absent. */
  queryDefault(name: string, fallback: string): string {
    if (this.#queries === undefined) {
      const plain = findInPlainQuery(this.#incoming.search, name, this.#limits.queryPairs);
      if (plain !== undefined) return plain ?? fallback;
    }
    return this.#query()[name] ?? fallback;
  }

  /** A request header; "" when it is absent. */
  header(name: string): string {
    return this.#incoming.header(name.toLowerCase()) ?? "";
  }

  /** A cookie; "" when it is absent. */
  cookie(name: string): string {
    this.#cookies ??= parseCookies(this.header("cookie"));
    return this.#cookies[name] ?? "";
  }

  /** Decodes and validates the body or, of a command, its flags. A BindError is answered with 400 `Invalid request`. */
  bind<S extends Schema>(schema: S): Promise<InferOutput<S>> {
    const bound = bind(schema, this, this.#limits, this.#incoming.fields);
    bound.catch(ignore); // a handler that forgets to await it must not hand a client the end of the process
    return bound;
  }

  /** A value that a middleware or handler of this request has set; undefined when none did. */
  get<K extends ValueName>(key: K): ValueOf<K> {
    return findValue(this.#values, key)?.value as ValueOf<K>; // set() takes the same type under the same key
  }

  set<K extends ValueName>(key: K, value: ValueOf<K>): void {
    const present = findValue(this.#values, key);
    if (present === undefined) this.#values = { key, value, next: this.#values };
    else present.value = value;
  }

  /** The same as `set`. */
  setValue<K extends ValueName>(key: K, value: ValueOf<K>): void {
    this.set(key, value);
  }

  /** Starts a reply: `ctx.status(201).json(post)`, `ctx.status(200).send("text")`. */
  status(status: number): StatusReply {
    return new StatusReply(status);
  }

  request(): RequestView {
    this.#request ??= new RequestView(
      this.#incoming,
      this.#params,
      this.#limits,
      () => this.#bodyLimit ?? this.#limits.body,
    );
    return this.#request;
  }

  /** The headers of the response. An error reply drops what handlers set here; hooks still run. */
  response(): ResponseHeaders {
    this.#headers ??= new ResponseHeaders();
    return this.#headers;
  }

  /** HttpOnly, SameSite=Lax and Path=/ unless told otherwise; Secure on https. */
  setCookie(name: string, value: string, options: CookieOptions = {}): void {
    const secure = this.#incoming.protocol === "https";
    this.response().addHeader("set-cookie", serializeCookie(name, value, { secure, ...options }));
  }

  /** Sends the client elsewhere, 302 unless told otherwise. Only to paths of this site, unless `external` is set. */
  redirect(
    to: string,
    options: { readonly status?: 301 | 302 | 303 | 307 | 308; readonly external?: boolean } = {},
  ): Reply {
    const target = options.external === true || isOwnPath(to) ? to : "/";
    this.response().setHeader("location", toLocation(target));
    return new Reply(options.status ?? 302, "empty", undefined);
  }

  /** Shows whoever runs a command how far the work of `total` steps has come; silent on other platforms. */
  progress(total: number, label = ""): Progress {
    if (!Number.isFinite(total) || total < 0) throw new RangeError(`progress() takes a number of steps, not ${total}`);
    return this.#incoming.progress?.(total, label) ?? silentProgress;
  }

  /** Runs when the reply is ready and before it is written. */
  onReply(hook: ReplyHook): void {
    this.#hooks ??= [];
    this.#hooks.push(hook);
  }

  /** Lets this request carry a larger or smaller body than the platform's default. Has no effect once the body is read. */
  limitBody(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new RangeError(`limitBody(${String(bytes)}): it takes a whole number of bytes, zero or more`);
    }
    this.#bodyLimit = bytes;
  }

  /** For the kernel: the headers set so far, or undefined when there are none. */
  takeHeaders(): ResponseHeaders | undefined {
    const headers = this.#headers;
    this.#headers = undefined;
    return headers;
  }

  /** For the kernel: lets every hook see what goes out. */
  runHooks(outgoing: Outgoing): Outgoing {
    if (this.#hooks === undefined) return outgoing;
    for (const hook of this.#hooks.toReversed()) {
      const pending: unknown = hook(outgoing);
      // nobody waits for an asynchronous hook: unhandled, its rejection would end the process
      if (pending instanceof Promise) {
        pending.catch((error: unknown) => this.log.error({ err: error }, `${this.method} ${this.path}: a hook failed`));
      }
    }
    return outgoing;
  }

  #query(): Record<string, string> {
    this.#queries ??= parseQuery(this.#incoming.search, this.#limits.queryPairs);
    return this.#queries;
  }
}

/** `//host`, `/\host` and anything with a scheme lead elsewhere; browsers drop tabs and line breaks before they look. */
function isOwnPath(to: string): boolean {
  return /^\/(?![/\\])[^\u0000-\u001f\u007f\\\u2028\u2029]*$/.test(to) && to.isWellFormed();
}

/** Encodes what a header cannot carry and leaves alone what is encoded already, and the brackets of IPv6 hosts. */
function toLocation(target: string): string {
  return encodeURI(target).replaceAll(/%25|%5B|%5D/g, (code) => decodeURIComponent(code));
}

function ignore(): void {}
