import { randomUUID } from "node:crypto";
import type { RequestLimits } from "../body/body-reader.ts";
import { type CookieOptions, parseCookies, serializeCookie } from "../body/cookies.ts";
import type { Input } from "../body/input.ts";
import { readPairs } from "../body/query.ts";
import type { Log } from "../log/log.ts";
import { validate } from "../schema/bind.ts";
import type { InferOutput, Schema } from "../schema/standard-schema.ts";
import type { HttpError } from "../support/errors.ts";
import type { ParamNames } from "../support/pattern.ts";
import { type MatchedRoute, type RouteParams, toDeclaredError } from "./contract.ts";
import { ResponseHeaders, toLocation } from "./headers.ts";
import { type Outgoing, Reply, StatusReply } from "./reply.ts";
import { type Incoming, type KeptConnection, KeptIncoming, RequestView } from "./request.ts";

/**
 * Values that every request of a platform has, because its middlewares set them. Packages and applications add theirs:
 * `declare module "@tenon/core" { interface ContextValues { session: Session } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface, because only interfaces can be augmented
export interface ContextValues {}

/** Values that only requests behind a guard have. Its contract names them: `{ sets: ["user_id"] }`. */
// biome-ignore lint/suspicious/noEmptyInterface: an interface, because only interfaces can be augmented
export interface GuardValues {}

type Values = ContextValues & GuardValues;
/** The declared type of a value; an undeclared name gives unknown. */
export type ValueOf<K extends string> = K extends keyof Values ? Values[K] : unknown;
/** Undefined too for what a guard sets, where no guard of the route says so. */
export type KnownValueOf<K extends string, SetByGuards extends string> =
  K extends Exclude<keyof GuardValues, SetByGuards> ? GuardValues[K] | undefined : ValueOf<K>;
export type ValueName = keyof Values | (string & {});

/**
 * The context of a request. A path types the names that `param()` takes: `Context<"/posts/:id">`.
 * Without one `param()` takes any name, and the context fits every route. "" is in every union, because `any` is not
 * assignable to `never`, the names of a path without parameters. A middleware limits it to the routes that list it.
 */
// biome-ignore lint/suspicious/noExplicitAny: likewise for the middlewares of a route
export type Context<Path extends string = string, Guard = any> = RequestContext<
  // biome-ignore lint/suspicious/noExplicitAny: the one argument that a context of any path is assignable to and from
  string extends Path ? any : ParamNames<Path> | "",
  // biome-ignore lint/suspicious/noExplicitAny: likewise for the failures that a contract declares
  any,
  // biome-ignore lint/suspicious/noExplicitAny: likewise for the values that guards set
  any,
  // biome-ignore lint/suspicious/noExplicitAny: likewise, where no middleware is named
  0 extends 1 & Guard ? any : Listed<Guard>
>;

/** A class of the middlewares of a route, in and out: its subclass is another one. */
export interface Listed<in out Guard> {
  readonly guard: Guard;
}

/** What `ctx.param()` takes: without a parameter, what TypeScript shows where a name is passed. */
type NameIn<Param extends string> = [Exclude<Param, "">] extends [never]
  ? "The path has no parameters"
  : `${Exclude<Param, "">}`;

/** The arguments of `ctx.fail()`. */
export type Failure = readonly [status: number | string, detail?: unknown];

/** Sees the response and may change it; runs for errors and misses too, the last one registered first. */
export type ReplyHook = (outgoing: Outgoing) => void;

/**
 * A decision of a guard that may end before the connection of a live route does: the token expires, the session is
 * revoked.
 */
export interface Lease {
  /** For the client whose connection is closed: `the session has ended`. */
  readonly reason: string;
  /**
   * Whom the guard has let in, such as the id of a user: a client continues in its topics after a reconnect only as the
   * same one. Not sent to the client.
   */
  readonly principal?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Called from time to time. */
  readonly isValid?: () => boolean | Promise<boolean>;
}

/** What is known of one request, and of its response so far: handlers see it through their context. */
export class ContextState {
  incoming: Incoming;
  readonly params: RouteParams;
  readonly tools: ContextTools;
  id: string | undefined;
  log: Log | undefined;
  cookies: Record<string, string> | undefined;
  values: Map<string, unknown> | undefined;
  headers: ResponseHeaders | undefined;
  hooks: ReplyHook[] | undefined;
  bodyLimit: number | undefined;
  leases: Lease[] | undefined;
  /** What the kernel publishes about this request. */
  signal: object | undefined;
  #request: RequestView | undefined;
  #queries: readonly (readonly [name: string, value: string])[] | undefined;

  constructor(incoming: Incoming, params: RouteParams, tools: ContextTools) {
    this.incoming = incoming;
    this.params = params;
    this.tools = tools;
  }

  get queries(): readonly (readonly [name: string, value: string])[] {
    this.#queries ??= readPairs(this.incoming.search, this.tools.limits.queryPairs);
    return this.#queries;
  }

  get request(): RequestView {
    const { limits } = this.tools;
    this.#request ??= new RequestView(this.incoming, this.params, limits, () => this.bodyLimit ?? limits.body);
    return this.#request;
  }

  /** The headers set so far, which are then forgotten. */
  takeHeaders(): ResponseHeaders | undefined {
    const { headers } = this;
    this.headers = undefined;
    return headers;
  }

  /** For a connection that stays open after its response. Forgets what can be read again, and hooks, which have run. */
  release(connection: KeptConnection): void {
    this.incoming = new KeptIncoming(this.incoming, connection);
    this.log = undefined;
    this.cookies = undefined;
    this.hooks = undefined;
    this.signal = undefined;
    this.#request = undefined;
    this.#queries = undefined;
  }
}

/** One request, as a handler sees it. */
export class RequestContext<
  in Param extends string = string,
  in Failed extends Failure = Failure,
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
    const bound = this.#bind(schema);
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

  /** The same as `set`. */
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
  fail(...[status, detail]: Failed): never {
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

  async #bind<S extends Schema>(schema: S): Promise<InferOutput<S>> {
    return validate(schema, await this.#state.tools.readInput(this.#state.incoming, this.request()));
  }
}

export const { stateOf } = RequestContext;

const silentProgress: Progress = Object.freeze({ advance() {}, done() {} });

/** Frees memory of a request whose connection stays open after its response: what was read of it is read again. */
export function releaseRequest(ctx: Context, connection: KeptConnection): void {
  stateOf(ctx).release(connection);
}

/** The leases that the guards of a request have added. The list grows with leases that are added later. */
export function leasesOf(ctx: Context): Lease[] {
  const state = stateOf(ctx);
  state.leases ??= [];
  return state.leases;
}

/** What every context of an application shares: made once, by the kernel. */
export interface ContextTools {
  readonly limits: RequestLimits;
  readonly log: Log;
  /** What `bind()` validates. */
  readonly readInput: (incoming: Incoming, request: RequestView) => Input | Promise<Input>;
  /** What the `query` of a contract validates. Defaults to the query of the URL. */
  readonly readQuery?: ((incoming: Incoming, request: RequestView) => Input | Promise<Input>) | undefined;
  /** What a body of `form()` validates. */
  readonly readForm: (incoming: Incoming, request: RequestView) => Input | Promise<Input>;
  /** Left out where no terminal shows it. */
  readonly showProgress?: ((incoming: Incoming, total: number, label: string) => Progress) | undefined;
  /** Called when a handler reads a parameter that the path of its route does not declare. */
  readonly onUnknownParam: (route: MatchedRoute, name: string) => void;
  /** Called with a 503 that only load has caused. */
  readonly onRefused: (error: HttpError) => void;
}

/** Shows how far a long piece of work has come. */
export interface Progress {
  /** Marks steps as done. `by` defaults to one. */
  advance(by?: number): void;
  /** Ends the display, whether or not every step was done. */
  done(): void;
}
