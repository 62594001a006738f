import { HttpError, inject, Log, type OnStart, type OnStop } from "@tenon/core";
import { endsWithin, type Lease } from "@tenon/core/internal";
import type { Metric } from "@tenon/core/platform";
import { EventStoreToken } from "./channels/channels.ts";
import { ResumeIds } from "./channels/position.ts";
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
  unfinished: { code: 1008, reason: "a message took too long to arrive" },
  slow: { code: 1013, reason: "the client reads too slowly" },
  unchecked: { code: 1013, reason: "the session could not be checked" },
  silent: { code: 4408, reason: "no message for too long" },
} as const satisfies Record<string, Closing>;

/** The close code of a connection whose session has ended or whose token has expired. */
const leaseEnded = 4401;

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
  /** Until when it may stay open without a check that succeeds. */
  checkedUntil: number;
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
  /** Connections that were closed because a session had ended or could not be checked, or a token had expired. */
  readonly endedLeases: number;
}

const checksAtOnce = 20;
/** Times `recheck` after which a connection ends whose session could not be checked: the interval, and two as grace. */
const uncheckedIntervals = 3;
const goldenRatio = 0.618_034; // its multiples are spread evenly

/** The open connections of live routes: heartbeats, sessions that end, and counts. One timer serves all of them. */
export class LiveConnections implements OnStart, OnStop {
  readonly settings = inject(LiveSettings);
  readonly ids = new ResumeIds(inject(EventStoreToken));
  readonly log = inject(Log);
  readonly #open = new Map<LiveConnection, Entry>();
  readonly #counts = { rejectedMessages: 0, unsentMessages: 0, slowClients: 0, endedLeases: 0 };
  /** From 0 to 1, another one for each connection. */
  #spread = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When a check has failed last: one line of the log is enough for all connections. */
  #failedAt = Number.NEGATIVE_INFINITY;
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
      checkedUntil: now + recheck * uncheckedIntervals,
    });
    this.#spread = (this.#spread + goldenRatio) % 1;
  }

  remove(connection: LiveConnection): void {
    this.#open.delete(connection);
  }

  onStart(): void {
    const { heartbeat, recheck } = this.settings;
    const every = Math.min(1000, Math.ceil(heartbeat / 2), Math.ceil(recheck / 2));
    let last = Date.now();
    this.#timer = setInterval(() => {
      const now = Date.now();
      if (now - last < 2 * every) this.#tick(now);
      else this.#excuse(now - last);
      last = now;
    }, every).unref();
  }

  async onStop(): Promise<void> {
    clearInterval(this.#timer);
    for (const connection of [...this.#open.keys()]) connection.end(closings.stopping);
    await this.#rechecking;
  }

  /**
   * The process was paused or blocked: what clients have sent meanwhile, such as pongs, is read before it is judged, and
   * checks that could not be made do not count as failed.
   */
  #excuse(pause: number): void {
    for (const entry of this.#open.values()) entry.checkedUntil += pause;
  }

  #tick(now: number): void {
    const { heartbeat, recheck } = this.settings;
    const isStoreDown = this.#failedAt > now - recheck * uncheckedIntervals; // else the checks are only late
    for (const entry of this.#open.values()) {
      const { connection } = entry;
      connection.check(now);
      const expired = connection.leases.find(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
      if (expired !== undefined) this.#endLease(connection, expired);
      else if (isStoreDown && entry.checkedUntil <= now && isChecked(connection)) {
        this.#end(connection, closings.unchecked);
      }
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
    const { recheck } = this.settings;
    const now = Date.now();
    try {
      for (const lease of [...connection.leases]) {
        const checked = Promise.try(() => lease.isValid?.());
        if (!(await endsWithin(checked, recheck))) throw new Error(`no response within ${recheck} ms`);
        const isValid = await checked;
        const isHeld = this.#open.has(connection) && connection.leases.includes(lease); // not of a topic left meanwhile
        if (isValid === false && isHeld) this.#endLease(connection, lease);
      }
      entry.checkAt = Date.now() + recheck;
      entry.checkedUntil = now + recheck * uncheckedIntervals;
    } catch (error) {
      entry.checkAt = Date.now() + recheck / 2;
      const text = "a session could not be checked: its connection ends if the next checks fail too";
      if (this.#failedAt + recheck <= now) this.log.warn({ err: error }, text);
      this.#failedAt = Math.max(this.#failedAt, now);
    }
  }

  #endLease(connection: LiveConnection, { reason }: Lease): void {
    this.#end(connection, { code: leaseEnded, reason });
  }

  #end(connection: LiveConnection, closing: Closing): void {
    this.count("endedLeases");
    connection.end(closing);
  }
}

function isChecked({ leases }: LiveConnection): boolean {
  return leases.some(({ isValid }) => isValid !== undefined);
}
