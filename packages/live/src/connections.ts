import { HttpError, inject, type Lease, Log, type OnStart, type OnStop } from "@tenon/core";
import type { Metric } from "@tenon/core/platform";
import { LiveSettings } from "./settings.ts";

/** Why the server ends a connection: the close code of a socket, and the reason that the client receives. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

export const closings = {
  stopping: { code: 1001, reason: "the server is stopping" },
  binary: { code: 1003, reason: "binary messages are not accepted" },
  tooMany: { code: 1008, reason: "too many messages" },
  slow: { code: 1013, reason: "the client reads too slowly" },
  silent: { code: 4408, reason: "no message for too long" },
} as const satisfies Record<string, Closing>;

/** The close code of a connection whose session has ended or whose token has expired. */
export const leaseEnded = 4401;

/** An open event stream or socket. */
export interface LiveConnection {
  readonly kind: "stream" | "socket";
  readonly leases: readonly Lease[];
  /** Sends a heartbeat. */
  beat(): void;
  /** Called about once a second. */
  check(now: number): void;
  end(closing: Closing): void;
}

interface Entry {
  readonly connection: LiveConnection;
  beatAt: number;
  checkAt: number;
}

/** What happened since the start, and what is open. */
export interface LiveStats {
  readonly streams: number;
  readonly sockets: number;
  /** Messages of clients that were rejected: malformed, unknown or invalid. */
  readonly rejectedMessages: number;
  /** Messages that were not sent, because they do not match their schema. */
  readonly unsentMessages: number;
  /** Clients that were disconnected because they read too slowly. */
  readonly slowClients: number;
  /** Connections that were closed because a session had ended or a token had expired. */
  readonly endedLeases: number;
}

const checksAtOnce = 20;
const goldenRatio = 0.618_034; // its multiples are spread evenly

/** The open connections of live routes: heartbeats, sessions that end, and counts. One timer serves all of them. */
export class LiveConnections implements OnStart, OnStop {
  readonly settings = inject(LiveSettings);
  readonly log = inject(Log);
  readonly #open = new Map<LiveConnection, Entry>();
  readonly #counts = { rejectedMessages: 0, unsentMessages: 0, slowClients: 0, endedLeases: 0 };
  /** From 0 to 1, another one for each connection. */
  #spread = 0;
  #timer: NodeJS.Timeout | undefined;
  #rechecking: Promise<void> | undefined;

  stats(): LiveStats {
    let sockets = 0;
    for (const { kind } of this.#open.keys()) if (kind === "socket") sockets++;
    return { streams: this.#open.size - sockets, sockets, ...this.#counts };
  }

  /** Found like `onStart()`, see `MetricSource`. */
  readMetrics(): Metric[] {
    const { streams, sockets, rejectedMessages, unsentMessages, slowClients, endedLeases } = this.stats();
    const open = [
      { value: streams, labels: { kind: "stream" } },
      { value: sockets, labels: { kind: "socket" } },
    ];
    const counter = (name: string, help: string, value: number): Metric => ({
      name: `tenon_live_${name}_total`,
      help,
      kind: "counter",
      values: [{ value }],
    });
    return [
      { name: "tenon_live_connections", help: "Open event streams and WebSockets", kind: "gauge", values: open },
      counter("rejected_messages", "Messages of clients that did not match their schema", rejectedMessages),
      counter("unsent_messages", "Messages of the server that did not match their schema", unsentMessages),
      counter("slow_clients", "Connections closed because the client read too slowly", slowClients),
      counter("ended_leases", "Connections closed because a session ended or a token expired", endedLeases),
    ];
  }

  count(what: keyof Omit<LiveStats, "streams" | "sockets">): void {
    this.#counts[what]++;
  }

  /** An event of a topic does not match the schema of a route that would send it. */
  reportUnsent(route: string, topic: string, error: Error): void {
    this.count("unsentMessages");
    this.log.error({ topic }, `${route}: an event was not sent: ${error.message}`);
  }

  /** Throws a 503 when there are too many. */
  add(connection: LiveConnection): void {
    if (this.#open.size >= this.settings.connections) {
      throw new HttpError(503, "Service Unavailable", { headers: { "retry-after": "5" } });
    }
    const { heartbeat, recheck } = this.settings;
    const now = Date.now();
    // spread over the interval, so that clients that connect together do not all get their heartbeats together
    this.#open.set(connection, {
      connection,
      beatAt: now + heartbeat * (1 - this.#spread / 2),
      checkAt: now + recheck * (1 - this.#spread / 2),
    });
    this.#spread = (this.#spread + goldenRatio) % 1;
  }

  remove(connection: LiveConnection): void {
    this.#open.delete(connection);
  }

  onStart(): void {
    const { heartbeat, recheck } = this.settings;
    const every = Math.min(1000, Math.ceil(heartbeat / 2), Math.ceil(recheck / 2));
    this.#timer = setInterval(() => this.#tick(), every).unref();
  }

  async onStop(): Promise<void> {
    clearInterval(this.#timer);
    for (const connection of [...this.#open.keys()]) connection.end(closings.stopping);
    await this.#rechecking;
  }

  #tick(): void {
    const now = Date.now();
    const { heartbeat } = this.settings;
    for (const entry of this.#open.values()) {
      const { connection } = entry;
      connection.check(now);
      const expired = connection.leases.find(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
      if (expired !== undefined) this.#endLease(connection, expired);
      if (entry.beatAt > now) continue;
      entry.beatAt = now + heartbeat;
      connection.beat();
    }
    this.#rechecking ??= this.#recheck(now).finally(() => {
      this.#rechecking = undefined;
    });
  }

  async #recheck(now: number): Promise<void> {
    const due = [...this.#open.values()].filter(({ connection, checkAt }) => checkAt <= now && isChecked(connection));
    for (let start = 0; start < due.length; start += checksAtOnce) {
      await Promise.all(due.slice(start, start + checksAtOnce).map((entry) => this.#recheckOne(entry)));
    }
  }

  async #recheckOne(entry: Entry): Promise<void> {
    const { connection } = entry;
    for (const lease of connection.leases) {
      try {
        if ((await lease.isValid?.()) === false && this.#open.has(connection)) this.#endLease(connection, lease);
      } catch (error) {
        // a store that does not respond says nothing about the session
        this.log.warn({ err: error }, "a session could not be checked: its connection stays open until the next check");
      }
    }
    entry.checkAt = Date.now() + this.settings.recheck;
  }

  #endLease(connection: LiveConnection, { reason }: Lease): void {
    this.count("endedLeases");
    connection.end({ code: leaseEnded, reason });
  }
}

function isChecked({ leases }: LiveConnection): boolean {
  return leases.some(({ isValid }) => isValid !== undefined);
}
