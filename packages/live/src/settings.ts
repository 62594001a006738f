import { token } from "@tenon/core";
import { checkNames, namesOf, refuseOption } from "@tenon/core/platform";

/** Limits of the connections of one route, in bytes and milliseconds. */
export interface ConnectionLimits {
  /** Bytes that may wait for one client to read them; past it the client is disconnected. Defaults to 262,144. */
  readonly pendingBytes?: number;
}

export interface SocketLimits extends ConnectionLimits {
  /** Bytes of one message from a client. Defaults to 65,536. */
  readonly messageBytes?: number;
  /** Messages, pings and pongs from one client per second, over some seconds. Defaults to 50. */
  readonly messagesPerSecond?: number;
  /** Milliseconds without a message in either direction. Defaults to 0, which is no limit: pings find dead clients. */
  readonly idle?: number;
}

export interface LiveOptions extends SocketLimits {
  /** Connections of this process, event streams and sockets together. Defaults to 20,000. */
  readonly connections?: number;
  /** Milliseconds between heartbeats: comments in event streams, pings of sockets. Defaults to 15,000. */
  readonly heartbeat?: number;
  /** Milliseconds that an event stream tells its client to wait before it reconnects. Defaults to 1,000. */
  readonly retry?: number;
  /** Milliseconds between checks whether the sessions of open connections are still valid. Defaults to 10,000. */
  readonly recheck?: number;
  /** Events that are kept for each topic, for clients that reconnect. Defaults to 1,000. */
  readonly bufferEvents?: number;
  /** Seconds for which they are kept. Defaults to 300. */
  readonly bufferSeconds?: number;
  /** Origins whose pages may open sockets, in addition to the application's own: `["https://app.example"]`. */
  readonly origins?: readonly string[];
}

export interface LiveSettings extends Required<LiveOptions> {}
export const LiveSettings = token<LiveSettings>("LiveSettings");

const defaults: LiveSettings = Object.freeze({
  pendingBytes: 256 * 1024,
  messageBytes: 64 * 1024,
  messagesPerSecond: 50,
  idle: 0,
  connections: 20_000,
  heartbeat: 15_000,
  retry: 1000,
  recheck: 10_000,
  bufferEvents: 1000,
  bufferSeconds: 300,
  origins: [],
});

const optionNames = namesOf<LiveOptions>({
  pendingBytes: true,
  messageBytes: true,
  messagesPerSecond: true,
  idle: true,
  connections: true,
  heartbeat: true,
  retry: true,
  recheck: true,
  bufferEvents: true,
  bufferSeconds: true,
  origins: true,
});

export function toLiveSettings(options: LiveOptions): LiveSettings {
  checkNames("liveModule()", options, optionNames);
  checkLimits("liveModule()", options);
  checkOrigins("liveModule()", options.origins ?? []);
  return { ...defaults, ...options };
}

const largest = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond

/** `taker` as a sentence names it: `liveModule()`. */
export function checkLimits(taker: string, limits: object): void {
  for (const [name, value] of Object.entries(limits)) {
    if (name === "origins" || value === undefined) continue;
    const least = name === "idle" ? 0 : 1;
    if (Number.isSafeInteger(value) && value >= least && value <= largest) continue;
    refuseOption(`${name} of ${taker} is ${String(value)}. It takes a whole number from ${least} to ${largest}.`);
  }
}

export function checkOrigins(taker: string, origins: readonly string[]): void {
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    refuseOption(`origins of ${taker} has ${JSON.stringify(origin)}. Write scheme and host: "https://app.example".`);
  }
}
