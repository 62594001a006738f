import { randomUUID } from "node:crypto";
import { type CookieOptions, parseCookies, serializeCookie } from "../body/cookies.ts";
import { readJsonInput } from "../body/input.ts";
import { readPairs } from "../body/query.ts";
import type { Log } from "../log/log.ts";
import { validate } from "../schema/dto.ts";
import type { InferOutput, Schema } from "../schema/standard-schema.ts";
import type { ParamNames } from "../support/pattern.ts";
import type {
  ContextTools,
  ErrorArguments,
  KnownValueOf,
  Lease,
  Listed,
  NameIn,
  Progress,
  ReplyHook,
  ValueName,
  ValueOf,
} from "./context-types.ts";
import { type MatchedRoute, type RouteParams, toDeclaredError } from "./contract.ts";
import { ResponseHeaders, toLocation } from "./headers.ts";
import { Reply, StatusReply } from "./reply.ts";
import { type Incoming, RequestView, type ViewedRequest } from "./request.ts";

/**
 * The context of a request. A path types the names that `param()` takes: `Context<"/posts/:id">`.
 * Without one `param()` takes any name, and the context fits every route. "" is in every union, because `any` is not
 * assignable to `never`, the names of a path without parameters. A middleware limits it to the routes that list it.
 */
// biome-ignore lint/suspicious/noExplicitAny: any middlewares of a route
export type Context<Path extends string = string, Guard = any> = RequestContext<
  // biome-ignore lint/suspicious/noExplicitAny: the one argument that a context of any path is assignable to and from
  string extends Path ? any : ParamNames<Path> | "",
  // biome-ignore lint/suspicious/noExplicitAny: any errors that a contract declares
  any,
  // biome-ignore lint/suspicious/noExplicitAny: any values that guards set
  any,
  // biome-ignore lint/suspicious/noExplicitAny: any middleware, where none is named
  0 extends 1 & Guard ? any : Listed<Guard>
>;

/** What is known of one request, and of its response so far: handlers see it through their context. */
export class ContextState implements ViewedRequest {
  incoming: Incoming;
  readonly params: RouteParams;
  readonly tools: ContextTools;
  id: string | undefined;
  log: Log | undefined;
  cookies: Record<string, string> | undefined;
  values: Map<string, unknown> | undefined;
  headers: ResponseHeaders | undefined;
  hooks: ReplyHook[] | undefined;
  /** Undefined until it is read. */
  body: Uint8Array | Promise<Uint8Array> | undefined;
  bodyLimit: number | undefined;
  leases: Lease[] | undefined;
  /** What the kernel publishes about this request. */
  traced: object | undefined;
  view: RequestView | undefined;
  pairs: readonly (readonly [name: string, value: string])[] | undefined;

  constructor(incoming: Incoming, params: RouteParams, tools: ContextTools) {
    this.incoming = incoming;
    this.params = params;
    this.tools = tools;
  }

  get queries(): readonly (readonly [name: string, value: string])[] {
    this.pairs ??= readPairs(this.incoming.search, this.tools.limits.queryPairs);
    return this.pairs;
  }

  get request(): RequestView {
    this.view ??= new RequestView(this);
    return this.view;
  }

  /** The whole body, without a promise where it has arrived with its head. */
  readBody(): Uint8Array | Promise<Uint8Array> {
    const { body: limit, bodyTimeout } = this.tools.limits;
    this.body ??= this.incoming.readBody(this.bodyLimit ?? limit, bodyTimeout);
    return this.body;
  }

  /** The input, by default the body, as the schema makes it. Throws at once where it is there. */
  bind<S extends Schema>(schema: S): InferOutput<S> | Promise<InferOutput<S>> {
    const { incoming, tools } = this;
    const { readInput } = tools.readers;
    const input = readInput?.(incoming, this.request) ?? readJsonInput(incoming, this, tools.limits);
    return input instanceof Promise ? input.then((ready) => validate(schema, ready)) : validate(schema, input);
  }

  /** The headers set so far, which are then forgotten. */
  takeHeaders(): ResponseHeaders | undefined {
    const { headers } = this;
    this.headers = undefined;
    return headers;
  }
}

/** One request, as a handler sees it. */
export class RequestContext<
  in Param extends string = string,
  in Errors extends ErrorArguments = ErrorArguments,
  in SetByGuards extends string = string,
  in _Guards = unknown, // no value has it: the types of packages compare it
> {
  readonly #state: ContextState;

  constructor(incoming: Incoming, params: RouteParams, tools: ContextTools) {
    this.#state = new ContextState(incoming, params, tools);
  }

  /** For the framework, static so that handlers do not see it. */
  static stateOf(ctx: Context): ContextState {
    return ctx.#state;
  }

  get method(): string {
    return this.#state.incoming.method;
  }

  /** The path as it was sent, without query. */
  get path(): string {
    return this.#state.incoming.path;
  }

  /** The matched route; undefined on a miss. */
  get route(): MatchedRoute | undefined {
    return this.#state.params.matched;
  }

  /** Whether the route is an event stream or a WebSocket: a guard adds a lease then. */
  get isLive(): boolean {
    return this.#state.params.matched?.contract?.live !== undefined;
  }

  /** For guards of live routes: the connection is closed when the lease ends. */
  addLease(lease: Lease): void {
    this.#state.leases ??= [];
    this.#state.leases.push(lease);
  }

  /** Identifies this request in logs. Random, unless the request-id middleware took the client's. */
  get id(): string {
    this.#state.id ??= this.#state.incoming.id ?? randomUUID();
    return this.#state.id;
  }

  set id(id: string) {
    this.#state.id = id;
    this.#state.log = undefined;
  }

  /** A log that adds the id of this request to its lines. */
  get log(): Log {
    this.#state.log ??= this.#state.tools.log.child({ id: this.id });
    return this.#state.log;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.#state.incoming.signal;
  }

  /** A path parameter, decoded. A name that the path does not declare gives "" and logs a warning, once per route. */
  param(name: NameIn<Param>): string {
    const value = this.#state.params.param(name);
    if (value !== undefined) return value;
    const { matched } = this.#state.params;
    if (matched !== undefined) this.#state.tools.onUnknownParam(matched, name);
    return "";
  }

  /** What `*` matched, segment by segment: a "/" inside a segment was `%2F` on the wire and separates nothing. */
  rest(): readonly string[] {
    return this.#state.params.rest();
  }

  /** A query parameter; "" when it is absent, the first one when it is repeated. */
  query(name: string): string {
    return this.queryDefault(name, "");
  }

  /** A query parameter, or the default when it is absent. An empty one is not absent. */
  queryDefault(name: string, fallback: string): string {
    for (const [candidate, value] of this.#state.queries) if (candidate === name) return value; // a map takes longer to make
    return fallback;
  }

  /** A request header; "" when it is absent. */
  header(name: string): string {
    return this.#state.incoming.header(name.toLowerCase()) ?? "";
  }

  /** A cookie; "" when it is absent. */
  cookie(name: string): string {
    this.#state.cookies ??= parseCookies(this.header("cookie"));
    return this.#state.cookies[name] ?? "";
  }

  /** Decodes and validates the body or, for a command, its flags. A BindError becomes 400 `Invalid request`. */
  bind<S extends Schema>(schema: S): Promise<InferOutput<S>> {
    const bound = Promise.try(() => this.#state.bind(schema));
    bound.catch(() => {}); // a handler may forget to await it: the unhandled rejection would crash the process
    return bound;
  }

  /** A value that a middleware or handler of this request has set; undefined when none has. */
  get<K extends ValueName>(key: K): KnownValueOf<K, SetByGuards> {
    return this.#state.values?.get(key) as KnownValueOf<K, SetByGuards>; // set() takes the same type under the same key
  }

  set<K extends ValueName>(key: K, value: ValueOf<K>): void {
    this.#state.values ??= new Map();
    this.#state.values.set(key, value);
  }

  /** An alias of `set`. */
  setValue<K extends ValueName>(key: K, value: ValueOf<K>): void {
    this.set(key, value);
  }

  /** Starts a reply: `ctx.status(201).json(post)`, `ctx.status(200).send("text")`. */
  status<const Status extends number>(status: Status): StatusReply<Status> {
    return new StatusReply(status);
  }

  /**
   * Throws the error response that the contract of this endpoint declares for a status. `return ctx.fail(404)` also tells
   * the compiler that the handler ends there. Where the contract declares several messages or a schema, the second
   * argument is the message or the body.
   */
  fail(...[status, detail]: Errors): never {
    throw toDeclaredError(this.#state.params.matched, Number(status), detail);
  }

  request(): RequestView {
    return this.#state.request;
  }

  /** The headers of the response. An error response drops what handlers set here; hooks still run. */
  response(): ResponseHeaders {
    this.#state.headers ??= new ResponseHeaders();
    return this.#state.headers;
  }

  /** Defaults to HttpOnly, SameSite=Lax and Path=/, and to Secure on https. */
  setCookie(name: string, value: string, options: CookieOptions = {}): void {
    const secure = this.#state.incoming.protocol === "https";
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
    return this.#state.tools.showProgress?.(this.#state.incoming, total, label) ?? silentProgress;
  }

  /** Registers a function that runs when the response is ready and before it is written. */
  onReply(hook: ReplyHook): void {
    this.#state.hooks ??= [];
    this.#state.hooks.push(hook);
  }

  /** Sets the limit for the body of this request, in bytes. Has no effect once the body is read. */
  limitBody(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new RangeError(`limitBody(${String(bytes)}): it takes a whole number of bytes, zero or more`);
    }
    this.#state.bodyLimit = bytes;
  }
}

export const { stateOf } = RequestContext;

const silentProgress: Progress = Object.freeze({ advance() {}, done() {} });
