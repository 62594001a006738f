import type { Context } from "../context/context.ts";
import type { Class } from "../di/token.ts";

/** Continues the chain. Gives the value of what follows, or a promise of it: `await` it to look at it. */
export type Next = () => unknown;

/** Either returns a value itself, which ends the chain, or returns what `next()` gives. */
export interface Middleware {
  handle(ctx: Context, next: Next): unknown;
}

export type MiddlewareFunction = (ctx: Context, next: Next) => unknown;

/** A class (made by the container, with injection), an instance, or a function. */
export type MiddlewareLike = Class<Middleware> | Middleware | MiddlewareFunction;

/** Ready to run: nothing is asked of the container during a request. */
export interface Compiled {
  readonly name: string;
  readonly handle: MiddlewareFunction;
}

export function isMiddleware(value: unknown): value is Middleware {
  return typeof value === "object" && value !== null && "handle" in value && typeof value.handle === "function";
}
