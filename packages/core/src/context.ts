import { randomUUID } from "node:crypto";
import { type CookieOptions, parseCookies, serializeCookie } from "./body/cookies.ts";
import { readPairs } from "./body/query.ts";
import type { ContextTools, Progress } from "./context-tools.ts";
import { hasNoBody, readContent, toHeadersInput, toParamsInput, toQueryInput } from "./contract-input.ts";
import { toDeclaredError } from "./declared-error.ts";
import { type Input, validate } from "./dto/bind.ts";
import type { InferOutput, Schema } from "./dto/standard-schema.ts";
import type { HttpError } from "./errors.ts";
import { ResponseHeaders } from "./headers.ts";
import { toLocation } from "./location.ts";
import type { Log } from "./log/log.ts";
import type { MatchedRoute, ParamNames, RouteParams } from "./matched-route.ts";
import { type Outgoing, Reply, StatusReply } from "./reply.ts";
import { type Incoming, RequestView } from "./request.ts";

/**
 * Per-request values that middlewares and handlers share. Packages and applications add theirs:
 * `declare module "@tenon/core" { interface ContextValues { user_id: string } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface, because only interfaces can be augmented
export interface ContextValues {}

/** The declared type of a value; an undeclared name gives unknown. */
export type ValueOf<K extends string> = K extends keyof ContextValues ? ContextValues[K] : unknown;
export type ValueName = keyof ContextValues | (string & {});

/**
 * The context of a request. A path types the names that `param()` takes: `Context<"/posts/:id">`.
 * Without one `param()` takes any name, and the context fits every route. "" is in every union, because `any` is not
 * assignable to `never`, the names of a path without parameters.
 */
export type Context<Path extends string = string> = RequestContext<
  // biome-ignore lint/suspicious/noExplicitAny: the one argument that a context of any path is assignable to and from
  string extends Path ? any : ParamNames<Path> | "",
  // biome-ignore lint/suspicious/noExplicitAny: likewise for the failures that a contract declares
  any
>;

/** The arguments of `ctx.fail()`. */
export type Failure = readonly [status: number, detail?: unknown];

/** Sees the response and may change it; runs for errors and misses too, the last one registered first. */
export type ReplyHook = (outgoing: Outgoing) => void;

/**
 * A decision of a guard that may end before the connection of a live route does: the token expires, the session is
 * revoked.
 */
export interface Lease {
  /** For the client whose connection is closed: `the session has ended`. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Asked from time to time. */
  readonly isValid?: () => boolean | Promise<boolean>;
}

/** One request and the state of its response. */
export class RequestContext<in Param extends string = string, in Failed extends Failure = Failure> {
  readonly #incoming: Incoming;
  readonly #params: RouteParams;
  readonly #tools: ContextTools;
  #id: string | undefined;
  #requestLog: Log | undefined;
  #request: RequestView | undefined;
  #queries: readonly (readonly [name: string, value: string])[] | undefined;
  #cookies: Record<string, string> | undefined;
  #values: Map<string, unknown> | undefined;
  #headers: ResponseHeaders | undefined;
  #hooks: ReplyHook[] | undefined;
  #bodyLimit: number | undefined;
  #leases: Lease[] | undefined;
  #signal: object | undefined;

  constructor(incoming: Incoming, params: RouteParams, tools: ContextTools) {
    this.#incoming = incoming;
    this.#params = params;
    this.#tools = tools;
  }

  get method(): string {
    return this.#incoming.method;
  }

  /** The path as it was sent, without query. */
  get path(): string {
    return this.#incoming.path;
  }

  /** The matched route; undefined on a miss. */
  get route(): MatchedRoute | undefined {
    return this.#params.matched;
  }

  /** Whether the route is an event stream or a WebSocket: a guard adds a lease then. */
  get isLive(): boolean {
    return this.#params.matched?.contract?.live !== undefined;
  }

  /** For guards of live routes: the connection is closed when the lease ends. */
  addLease(lease: Lease): void {
    this.#leases ??= [];
    this.#leases.push(lease);
  }

  /** Identifies this request in logs. Random, unless the request-id middleware took the client's. */
  get id(): string {
    this.#id ??= this.#incoming.id ?? randomUUID();
    return this.#id;
  }

  set id(id: string) {
    this.#id = id;
    this.#requestLog = undefined;
  }

  /** A log that adds the id of this request to its lines. */
  get log(): Log {
    this.#requestLog ??= this.#tools.log.child({ id: this.id });
    return this.#requestLog;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.#incoming.signal;
  }

  /** A path parameter, decoded. A name that the path does not declare gives "" and logs a warning, once per route. */
  param(name: `${Exclude<Param, "">}`): string {
    const value = this.#params.param(name);
    if (value !== undefined) return value;
    const { matched } = this.#params;
    if (matched !== undefined) this.#tools.onUnknownParam(matched, name);
    return "";
  }

  /** What `*` matched, segment by segment: a "/" inside a segment was `%2F` on the wire and separates nothing. */
  rest(): readonly string[] {
    return this.#params.rest();
  }

  /** A query parameter; "" when it is absent, the first one when it is repeated. */
  query(name: string): string {
    return this.queryDefault(name, "");
  }

  /** A query parameter, or the default when it is absent. An empty one is not absent. */
  queryDefault(name: string, fallback: string): string {
    this.#queries ??= readPairs(this.#incoming.search, this.#tools.limits.queryPairs);
    for (const [candidate, value] of this.#queries) if (candidate === name) return value; // a map takes longer to make
    return fallback;
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

  /** Decodes and validates the body or, for a command, its flags. A BindError becomes 400 `Invalid request`. */
  bind<S extends Schema>(schema: S): Promise<InferOutput<S>> {
    const bound = this.#bind(schema);
    bound.catch(ignore); // a handler may forget to await it: the unhandled rejection would crash the process
    return bound;
  }

  /** A value that a middleware or handler of this request has set; undefined when none has. */
  get<K extends ValueName>(key: K): ValueOf<K> {
    return this.#values?.get(key) as ValueOf<K>; // set() takes the same type under the same key
  }

  set<K extends ValueName>(key: K, value: ValueOf<K>): void {
    this.#values ??= new Map();
    this.#values.set(key, value);
  }

  /** The same as `set`. */
  setValue<K extends ValueName>(key: K, value: ValueOf<K>): void {
    this.set(key, value);
  }

  /** Starts a reply: `ctx.status(201).json(post)`, `ctx.status(200).send("text")`. */
  status<const Status extends number>(status: Status): StatusReply<Status> {
    return new StatusReply(status);
  }

  /**
   * The error response that the contract of this endpoint declares for a status: `return ctx.fail(404)`. Where it
   * declares several messages or a schema, the second argument is the message or the body.
   */
  fail(...[status, detail]: Failed): HttpError {
    return toDeclaredError(this.#params.matched, status, detail);
  }

  request(): RequestView {
    this.#request ??= new RequestView(
      this.#incoming,
      this.#params,
      this.#tools.limits,
      () => this.#bodyLimit ?? this.#tools.limits.body,
    );
    return this.#request;
  }

  /** The headers of the response. An error response drops what handlers set here; hooks still run. */
  response(): ResponseHeaders {
    this.#headers ??= new ResponseHeaders();
    return this.#headers;
  }

  /** Defaults to HttpOnly, SameSite=Lax and Path=/, and to Secure on https. */
  setCookie(name: string, value: string, options: CookieOptions = {}): void {
    const secure = this.#incoming.protocol === "https";
    this.response().addHeader("set-cookie", serializeCookie(name, value, { secure, ...options }));
  }

  /** Redirects the client. The status defaults to 302. A target outside this site becomes "/", unless `external` is set. */
  redirect<const Status extends 301 | 302 | 303 | 307 | 308 = 302>(
    to: string,
    options: { readonly status?: Status; readonly external?: boolean } = {},
  ): Reply<Status, undefined> {
    this.response().setHeader("location", toLocation(to, options.external === true));
    return new Reply(options.status ?? (302 as Status), "empty", undefined); // the default of both
  }

  /** Shows the progress of `total` steps at a terminal; silent on other platforms. */
  progress(total: number, label = ""): Progress {
    if (!Number.isFinite(total) || total < 0) throw new RangeError(`progress() takes a number of steps, not ${total}`);
    return this.#tools.showProgress?.(this.#incoming, total, label) ?? silentProgress;
  }

  /** Registers a function that runs when the response is ready and before it is written. */
  onReply(hook: ReplyHook): void {
    this.#hooks ??= [];
    this.#hooks.push(hook);
  }

  /** Sets the limit for the body of this request, in bytes. Has no effect once the body is read. */
  limitBody(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new RangeError(`limitBody(${String(bytes)}): it takes a whole number of bytes, zero or more`);
    }
    this.#bodyLimit = bytes;
  }

  async #bind<S extends Schema>(schema: S): Promise<InferOutput<S>> {
    return validate(schema, await this.#tools.readInput(this.#incoming, this.request()));
  }

  /** For `endpoint()`, static so that handlers do not see it: what a part of its contract validates. */
  static readPart(ctx: Context, part: "params" | "query" | "headers"): Input | Promise<Input> {
    if (part === "params") return toParamsInput(ctx.#params);
    if (part === "headers") return toHeadersInput(ctx.#incoming);
    const { readQuery, limits } = ctx.#tools;
    if (readQuery !== undefined) return readQuery(ctx.#incoming, ctx.request());
    ctx.#queries ??= readPairs(ctx.#incoming.search, limits.queryPairs);
    return toQueryInput(ctx.#queries);
  }

  /** For `endpoint()`: what a declared body validates. */
  static readBody(ctx: Context, isForm: boolean): Input | Promise<Input> {
    const { readInput, readForm } = ctx.#tools;
    return (isForm ? readForm : readInput)(ctx.#incoming, ctx.request());
  }

  /** For `endpoint()`: the bytes of a body of these media types. */
  static readContent(ctx: Context, types: readonly string[]): Promise<Uint8Array> {
    return readContent(ctx.#incoming, ctx.request(), ctx.header("content-type"), types);
  }

  /** For `endpoint()`: whether an optional body is absent. */
  static hasNoBody(ctx: Context): Promise<boolean> {
    return hasNoBody(ctx.#incoming, ctx.request());
  }

  /** For live routes: what the guards have added. The list grows with leases that are added later. */
  static leasesOf(ctx: Context): readonly Lease[] {
    ctx.#leases ??= [];
    return ctx.#leases;
  }

  /** For the kernel: what it publishes about this request. */
  static setSignal(ctx: Context, signal: object): void {
    ctx.#signal = signal;
  }

  static signalOf(ctx: Context): object | undefined {
    return ctx.#signal;
  }

  /** For connections that stay open: forgets what can be made again, and hooks, which have run. */
  static releaseCaches(ctx: Context): void {
    ctx.#requestLog = undefined;
    ctx.#request = undefined;
    ctx.#queries = undefined;
    ctx.#cookies = undefined;
    ctx.#hooks = undefined;
  }

  /** For the kernel: the headers set so far, which are then forgotten. */
  static takeHeaders(ctx: Context): ResponseHeaders | undefined {
    const headers = ctx.#headers;
    ctx.#headers = undefined;
    return headers;
  }

  /** For the kernel: lets every hook see the response. */
  static runHooks(ctx: Context, outgoing: Outgoing): void {
    for (const hook of ctx.#hooks?.toReversed() ?? []) {
      const pending: unknown = hook(outgoing);
      // the response does not wait for an asynchronous hook: its unhandled rejection would crash the process
      if (pending instanceof Promise) {
        pending.catch((error: unknown) => ctx.log.error({ err: error }, `${ctx.method} ${ctx.path}: a hook failed`));
      }
    }
  }
}

const silentProgress: Progress = Object.freeze({ advance() {}, done() {} });

function ignore(): void {}

/** Frees memory of a request whose connection stays open after its response: what was read of it is read again. */
export function releaseCaches(ctx: Context): void {
  RequestContext.releaseCaches(ctx);
}

/** The leases that the guards of a request have added. */
export function leasesOf(ctx: Context): readonly Lease[] {
  return RequestContext.leasesOf(ctx);
}
