import type { Input } from "../body/input.ts";
import type { RequestLimits } from "../body/limits.ts";
import { readPairs } from "../body/query.ts";
import type { Log } from "../log/log.ts";
import type { HttpError } from "../support/errors.ts";
import type { MatchedRoute, RouteParams } from "./contract.ts";
import type { ResponseHeaders } from "./headers.ts";
import type { Outgoing } from "./reply.ts";
import { type Incoming, type KeptConnection, KeptIncoming, RequestView } from "./request.ts";

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
  traced: object | undefined;
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
    this.traced = undefined;
    this.#request = undefined;
    this.#queries = undefined;
  }
}

/** How a platform reads input. */
export interface InputReaders {
  /** What `ctx.bind()` and a body validate. Undefined, as by default, is the body as JSON. */
  readonly readInput?: (...request: Parameters<ReadInput>) => ReturnType<ReadInput> | undefined;
  /** What the `query` of a contract validates. Defaults to the query of the URL. */
  readonly readQuery?: ReadInput;
  /** What a body of `form()` validates. Defaults to the body as a form, with its files. */
  readonly readForm?: ReadInput;
}

type ReadInput = (incoming: Incoming, request: RequestView) => Input | Promise<Input>;

/** What every context of an application shares: made once, by the kernel. */
export interface ContextTools {
  readonly limits: RequestLimits;
  readonly log: Log;
  readonly readers: InputReaders;
  /** Left out where no terminal shows it. */
  readonly showProgress?: ((incoming: Incoming, total: number, label: string) => Progress) | undefined;
  /** Called when a handler reads a parameter that the path of its route does not declare. */
  readonly onUnknownParam: (route: MatchedRoute, name: string) => void;
  /** Called with a 503 that only load has caused. */
  readonly onOverload: (error: HttpError) => void;
}

/** Shows how far a long piece of work has come. */
export interface Progress {
  /** Marks steps as done. `by` defaults to one. */
  advance(by?: number): void;
  /** Ends the display, whether or not every step was done. */
  done(): void;
}
