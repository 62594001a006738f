import type { Input } from "../body/input.ts";
import type { RequestLimits } from "../body/limits.ts";
import type { Log } from "../log/log.ts";
import type { HttpError } from "../support/errors.ts";
import type { MatchedRoute } from "./contract.ts";
import type { Outgoing } from "./reply.ts";
import type { Incoming, RequestView } from "./request.ts";

/**
 * Values that every request of a platform has, because its middlewares set them. Packages and applications add theirs:
 * `declare module "@tenon/core" { interface ContextValues { session: Session } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface, because only interfaces can be augmented
export interface ContextValues {}

/** Values that requests have only after a guard. Its contract names them: `{ sets: ["user_id"] }`. */
// biome-ignore lint/suspicious/noEmptyInterface: an interface, because only interfaces can be augmented
export interface GuardValues {}

type Values = ContextValues & GuardValues;
/** The declared type of a value; an undeclared name gives unknown. */
export type ValueOf<K extends string> = K extends keyof Values ? Values[K] : unknown;
/** Includes undefined for a value that guards set, unless a guard of the route declares it. */
export type KnownValueOf<K extends string, SetByGuards extends string> =
  K extends Exclude<keyof GuardValues, SetByGuards> ? GuardValues[K] | undefined : ValueOf<K>;
export type ValueName = keyof Values | (string & {});

/** Marks a middleware class of a route. Invariant, so that a subclass is another one. */
export interface Listed<in out Guard> {
  readonly guard: Guard;
}

/** What `ctx.param()` takes: without a parameter, what TypeScript shows where a name is passed. */
export type NameIn<Param extends string> = [Exclude<Param, "">] extends [never]
  ? "The path has no parameters"
  : `${Exclude<Param, "">}`;

/** The arguments of `ctx.fail()`. */
export type ErrorArguments = readonly [status: number | string, detail?: unknown];

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
   * Identifies whom the guard has let in, such as by the id of a user. After a reconnect a client continues in its
   * topics only under the same principal. Not sent to the client.
   */
  readonly principal?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Called from time to time. */
  readonly isValid?: () => boolean | Promise<boolean>;
}

/** How a platform reads input. */
export interface InputReaders {
  /** What `ctx.bind()` and a body validate. Defaults to the body as JSON, also where it returns undefined. */
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
