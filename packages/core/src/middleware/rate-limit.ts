import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { endsWithin } from "@tenon/server/internal";
import type { Context } from "../request/context.ts";
import type { MiddlewareFunction } from "../request/handler.ts";
import { Clock } from "../support/clock.ts";
import { describeValue, HttpError, tooManyRequests } from "../support/errors.ts";
import { checkOptions, takes } from "../support/options.ts";
import { type CounterStore, MemoryCounterStore } from "./memory-counter-store.ts";

export interface RateLimitOptions {
  /** How many requests a key may make in one window. */
  readonly limit: number;
  /** Seconds. Windows follow the clock: one of 60 starts at every full minute, for all keys and all instances. */
  readonly window: number;
  /** What is counted. Defaults to the client's address, for IPv6 to its /64. */
  readonly key?: (ctx: Context) => string;
  /** Defaults to the memory of this process, for at most 100,000 keys. */
  readonly store?: CounterStore;
  /** Names the limit in headers and in the store. Two limits that share a store need two names. Defaults to `default`. */
  readonly name?: string;
  /** When the store fails: `refuse` responds with 503, `allow` lets the request pass uncounted. Defaults to `refuse`. */
  readonly onStoreError?: "refuse" | "allow";
  /** Milliseconds that a store may take before it counts as failed. Defaults to 1,000. */
  readonly storeTimeout?: number;
  /** The application's, `inject(Clock)`, so that a test can set the time. Defaults to the time of the system. */
  readonly clock?: Pick<Clock, "now">;
}

const count = takes.wholeNumber(1);

/** Responds to requests over the limit with 429 and `Retry-After`, and to all with the number that remains. */
export function rateLimit(options: RateLimitOptions): MiddlewareFunction {
  const { limit, window, key = callerOf, name = "default", onStoreError = "refuse", clock = new Clock() } = options;
  const given = { ...options, limit: limit ?? Number.NaN, window: window ?? Number.NaN }; // without them nothing would be limited
  checkOptions("rateLimit()", given, {
    limit: count,
    window: count,
    key: true,
    store: true,
    name: takes.match(/^[A-Za-z0-9_.-]{1,64}$/, 'It takes letters, digits, "_", "." and "-".'),
    onStoreError: true,
    storeTimeout: count,
    clock: true,
  });
  const { store = new MemoryCounterStore({ clock }), storeTimeout = 1000 } = options;
  const length = window * 1000;
  const policy = `"${name}";q=${limit};w=${window}`;

  const handle: MiddlewareFunction = async function rateLimit(ctx, next) {
    const time = clock.now();
    const index = Math.floor(time / length);
    const reset = Math.ceil(((index + 1) * length - time) / 1000);
    const counter = `${name}:${shorten(key(ctx))}:${index}`;
    let count: number;
    try {
      const counted = store.increment(counter, { ttl: reset });
      count = typeof counted === "number" ? counted : await withDeadline(counted, storeTimeout);
      // a limit compared with anything else would not hold
      if (!(Number.isSafeInteger(count) && count >= 1))
        throw new TypeError(`the store returned ${describeValue(count)}, not a count`);
    } catch (cause) {
      if (onStoreError === "refuse")
        throw new HttpError(503, "Service Unavailable", { headers: { "retry-after": "1" }, cause });
      ctx.log.warn({ err: cause }, `rate limit "${name}": the store failed, the request was not counted`);
      return next();
    }
    const remaining = Math.max(0, limit - count);
    ctx.onReply(({ headers }) => {
      headers.addHeader("ratelimit-policy", policy).addHeader("ratelimit", `"${name}";r=${remaining};t=${reset}`);
    });
    if (count > limit) throw tooManyRequests(reset);
    return next();
  };
  return Object.assign(handle, { contract: { errors: { 429: "Too Many Requests" } } });
}

function callerOf(ctx: Context): string {
  return networkOf(ctx.request().address());
}

/**
 * The network by which a client is counted. An IPv6 client has a whole /64 and could use a new address for each
 * request; an IPv4-mapped address is the IPv4 address, not one network for all of them.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [text = ""] = address.split("%");
  const [head = "", tail = ""] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::"); // in one notation
  const [left, right] = [head, tail].map((part) => part.split(":").filter((group) => group !== "")) as [
    string[],
    string[],
  ];
  const groups = [...left, ...new Array<string>(8 - left.length - right.length).fill("0"), ...right];
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return `${groups.slice(0, 4).join(":")}::/64`;
  const pairs = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return pairs.flatMap((pair) => [pair >> 8, pair & 0xff]).join(".");
}

/** A key may be a header of the client: thousands of long ones would fill the memory. */
function shorten(key: string): string {
  return key.length <= 64 ? key : createHash("sha256").update(key).digest("base64url");
}

async function withDeadline(count: Promise<number>, milliseconds: number): Promise<number> {
  if (await endsWithin(count, milliseconds)) return count;
  throw new Error(`the store took over ${milliseconds} ms`);
}
