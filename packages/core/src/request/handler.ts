import type { Context } from "./context.ts";
import type { MiddlewareContract } from "./contract.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "HEAD";

/** Takes the request context and returns any value; the platform serializes it. */
export type Handler<Path extends string = string> = (ctx: Context<Path>) => unknown;

/** Continues the chain. Returns the value of what follows, or a promise of it: `await` it to look at it. */
export type Next = () => unknown;

/** Either returns a value itself, which ends the chain, or returns what `next()` gives. */
export interface Middleware {
  /** What it adds to the contract of every route that has it; a list where that differs by method. */
  readonly contract?: MiddlewareContract | readonly MiddlewareContract[];
  handle(ctx: Context, next: Next): unknown;
}

export interface MiddlewareFunction {
  (ctx: Context, next: Next): unknown;
  /** What it adds to the contract of every route that has it; a list where that differs by method. */
  readonly contract?: MiddlewareContract | readonly MiddlewareContract[];
}

/** A class (constructed by the container, with injection), an instance, or a function. */
export type MiddlewareLike = (new () => Middleware) | Middleware | MiddlewareFunction;
