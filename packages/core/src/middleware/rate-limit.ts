import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import { describeValue, HttpError } from "../errors.ts";
import { checkNames, checkWholeNumber, refuseOption } from "../options.ts";
import type { MiddlewareFunction, Next } from "../record.ts";
import { type CounterStore, MemoryCounterStore } from "./memory-counter-store.ts";
import { networkOf } from "./network.ts";

export interface RateLimitOptions {
  /** How many requests a key may make in one window. */
  readonly limit: number;
  /** Seconds. Windows follow the clock: one of 60 starts at every full minute, for all keys and all instances. */
  readonly window: number;
  /** Who is counted. Left out: the caller's address, an IPv6 one by its /64. */
  readonly key?: (ctx: Context) => string;
  /** Left out: in the memory of this process, at most 100,000 keys. */
  readonly store?: CounterStore;
  /** Names the limit in headers and in the store. Two limits that share a store need two names. */
  readonly name?: string;
  /** When the store fails: `refuse` answers 503, `allow` lets the request pass uncounted. `refuse` unless told otherwise. */
  readonly onStoreError?: "refuse" | "allow";
  /** Milliseconds a store may take before it counts as failed. 1,000 unless told otherwise. */
  readonly storeTimeout?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Answers 429 with `Retry-After` to who asks too often, and tells everybody how much is left. */
export function rateLimit(options: RateLimitOptions): MiddlewareFunction {
  checkOptions(options);
  const { limit, window, key = callerOf, name = "default", onStoreError = "refuse", now = Date.now } = options;
  const { store = new MemoryCounterStore({ now }), storeTimeout = 1000 } = options;
  const length = window * 1000;
  const policy = `"${name}";q=${limit};w=${window}`;

  const decide = (ctx: Context, next: Next, count: number, reset: number): unknown => {
    const remaining = Math.max(0, limit - count);
    ctx.onReply(({ headers }) => {
      headers.addHeader("ratelimit-policy", policy).addHeader("ratelimit", `"${name}";r=${remaining};t=${reset}`);
    });
    if (count <= limit) return next();
    throw new HttpError(429, "Too Many Requests", { headers: { "retry-after": String(reset) } });
  };

  const giveUp = (ctx: Context, next: Next, cause: unknown): unknown => {
    if (onStoreError === "refuse") throw new HttpError(503, "Service Unavailable", { cause });
    ctx.log.warn({ err: cause }, `rate limit "${name}": the store failed, the request was not counted`);
    return next();
  };

  const settle = (ctx: Context, next: Next, count: number, reset: number): unknown => {
    if (Number.isSafeInteger(count) && count > 0) return decide(ctx, next, count, reset);
    return giveUp(ctx, next, new TypeError(`the store answered ${describeValue(count)}, not a count`)); // no limit would hold
  };

  return function rateLimit(ctx, next) {
    const time = now();
    const index = Math.floor(time / length);
    const reset = Math.ceil(((index + 1) * length - time) / 1000);
    const counter = `${name}:${shorten(key(ctx))}:${index}`;
    let count: number | Promise<number>;
    try {
      count = store.increment(counter, { ttl: reset });
    } catch (error) {
      return giveUp(ctx, next, error);
    }
    if (typeof count === "number") return settle(ctx, next, count, reset);
    return withDeadline(Promise.resolve(count), storeTimeout).then(
      (value) => settle(ctx, next, value, reset),
      (error: unknown) => giveUp(ctx, next, error),
    );
  };
}

function callerOf(ctx: Context): string {
  return networkOf(ctx.request().address());
}

/** A key may be a header of the client's; thousands of long ones would be a way to fill the memory. */
function shorten(key: string): string {
  return key.length <= 64 ? key : createHash("sha256").update(key).digest("base64url");
}

function withDeadline<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the store took over ${milliseconds} ms`)), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function checkOptions(options: RateLimitOptions): void {
  const known = ["limit", "window", "key", "store", "name", "onStoreError", "storeTimeout", "now"];
  checkNames("rateLimit()", options, known);
  checkWholeNumber("rateLimit limit", options.limit, 1);
  checkWholeNumber("rateLimit window", options.window, 1);
  if (options.storeTimeout !== undefined) checkWholeNumber("rateLimit storeTimeout", options.storeTimeout, 1);
  if (!["refuse", "allow", undefined].includes(options.onStoreError)) {
    refuseOption(`rateLimit onStoreError is "${options.onStoreError}". It takes "refuse" or "allow".`);
  }
  if (options.name !== undefined && !/^[A-Za-z0-9_.-]{1,64}$/.test(options.name)) {
    refuseOption(`rateLimit name is "${options.name}". It takes letters, digits, "_", "." and "-".`);
  }
}
