import { defaultRequestLimits, type RequestLimits } from "../context/limits.ts";
import type { Problem } from "../errors.ts";

/** Every bound of the HTTP door. Bytes and milliseconds. */
export interface HttpLimits extends Omit<RequestLimits, "forms"> {
  readonly uri: number;
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly headerTimeout: number;
  readonly requestTimeout: number;
  readonly keepAlive: number;
  /** Bytes of a response that may wait in memory for one client to read them. */
  readonly pendingBytes: number;
  /** The same for all clients together. Past it the slowest readers are disconnected. */
  readonly pendingBytesTotal: number;
  /** How long a stop waits for requests in flight before it cuts them off. */
  readonly stopTimeout: number;
}

export interface HttpOptions {
  readonly limits?: Partial<HttpLimits>;
  /** Peers whose `X-Forwarded-*` headers count, as addresses or CIDR ranges. Nobody's by default. */
  readonly trustedProxies?: readonly string[];
}

export interface HttpSettings {
  readonly limits: HttpLimits;
  readonly trustedProxies: readonly string[];
}

const defaultLimits: HttpLimits = Object.freeze({
  ...defaultRequestLimits,
  uri: 8 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 200,
  headerTimeout: 10_000,
  requestTimeout: 30_000,
  keepAlive: 5_000,
  pendingBytes: 32 * 1024 * 1024,
  pendingBytesTotal: 48 * 1024 * 1024,
  stopTimeout: 10_000,
});

export function toHttpSettings(options: HttpOptions): HttpSettings {
  return { limits: { ...defaultLimits, ...options.limits }, trustedProxies: options.trustedProxies ?? [] };
}

const largest = 2 ** 31 - 1; // node takes a longer wait for none at all

export function checkLimits(limits: HttpLimits): Problem[] {
  return Object.entries(limits).flatMap(([name, value]): Problem[] => {
    if (!Object.hasOwn(defaultLimits, name)) {
      const message = `limits.${name} is not a limit. Limits: ${Object.keys(defaultLimits).join(", ")}.`;
      return [{ code: "BAD_OPTION", message }];
    }
    if (Number.isSafeInteger(value) && value >= 1 && value <= largest) return [];
    const message = `limits.${name} is ${String(value)}. It takes a whole number from 1 to ${largest}.`;
    return [{ code: "BAD_OPTION", message }];
  });
}
