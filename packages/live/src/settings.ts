import { type Module, token } from "@tenon/core";
import { checkOptions, type Injectable, isOrigin, type OptionTable, takes } from "@tenon/core/internal";

/** Limits of the connections of one route, in bytes and milliseconds. */
export interface ConnectionLimits {
  /** Bytes that may wait for one client to read them; beyond it, the client is disconnected. Defaults to 262,144. */
  readonly pendingBytes?: number;
}

export interface SocketLimits extends ConnectionLimits {
  /** Bytes of one message from a client. Defaults to 65,536. */
  readonly messageBytes?: number;
  /** Milliseconds for a message of a client to arrive, from its first byte to its last. Defaults to 10,000. */
  readonly messageTimeout?: number;
  /** Messages, pings and pongs from one client per second, over some seconds. Defaults to 50. */
  readonly messagesPerSecond?: number;
  /** Milliseconds without a message in either direction. Defaults to 0, without a limit: pings find dead clients. */
  readonly idle?: number;
}

export interface PlainLiveOptions extends SocketLimits {
  /** Connections of this process, event streams and sockets together. Defaults to 20,000. */
  readonly connections?: number;
  /** Milliseconds between heartbeats: comments in event streams, pings of sockets. Defaults to 15,000. */
  readonly heartbeat?: number;
  /**
   * Milliseconds that an event stream tells its client to wait before it reconnects: this long to twice as long, at
   * random. Defaults to 1,000.
   */
  readonly retry?: number;
  /** Milliseconds between checks whether the sessions of open connections are still valid. Defaults to 10,000. */
  readonly recheck?: number;
  /** Events that are kept for each topic, for clients that reconnect. Defaults to 1,000. */
  readonly bufferEvents?: number;
  /** Seconds for which they are kept. Defaults to 300. */
  readonly bufferSeconds?: number;
  /** Milliseconds between reads of subscribed topics of which no message has come, in case one was lost. Defaults to 2,000. */
  readonly pollInterval?: number;
  /** Origins whose pages may open sockets, in addition to the application's own: `["https://app.example"]`. */
  readonly origins?: readonly string[];
}

/** Each option but `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface LiveOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<PlainLiveOptions> {
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export interface LiveSettings extends Required<PlainLiveOptions> {}
export const LiveSettings = token<LiveSettings>("liveModule()");

const defaults: LiveSettings = Object.freeze({
  pendingBytes: 256 * 1024,
  messageBytes: 64 * 1024,
  messageTimeout: 10_000,
  messagesPerSecond: 50,
  idle: 0,
  connections: 20_000,
  heartbeat: 15_000,
  retry: 1000,
  recheck: 10_000,
  bufferEvents: 1000,
  bufferSeconds: 300,
  pollInterval: 2000,
  origins: [],
});

const largest = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond
const limit = takes.wholeNumber(1, largest);
export const originsCheck = takes.listOf(isOrigin, 'Write scheme and host: "https://app.example".');
export const connectionTable: OptionTable<ConnectionLimits> = { pendingBytes: limit };
export const socketTable: OptionTable<SocketLimits> = {
  ...connectionTable,
  messageBytes: limit,
  messageTimeout: limit,
  messagesPerSecond: limit,
  idle: takes.wholeNumber(0, largest),
};

export function toLiveSettings(options: PlainLiveOptions): LiveSettings {
  checkOptions("liveModule()", options, {
    ...socketTable,
    connections: limit,
    heartbeat: limit,
    retry: limit,
    recheck: limit,
    bufferEvents: limit,
    bufferSeconds: limit,
    pollInterval: limit,
    origins: originsCheck,
  });
  return { ...defaults, ...options };
}
