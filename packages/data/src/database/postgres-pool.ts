import { setTimeout as sleep } from "node:timers/promises";
import { endsInTime } from "@tenon/core/internal";
import type { Link, LinkListeners } from "../shared/listener.ts";
import { type SqlPlace, toPlace, traceSql } from "../signals.ts";
import { StoreError } from "../store-error.ts";
import { loadDriver } from "../support/load-driver.ts";
import type { Pool, PooledClient, PostgresDriverPackage, PostgresResult } from "./postgres-driver.ts";
import { isOutcomeUnknown, isServerError, isTooManyConnections, translatePostgresError } from "./postgres-errors.ts";
import { findTypeParser } from "./postgres-types.ts";
import { quoteName } from "./quote-name.ts";

export interface PostgresOptions {
  /** Defaults to 10. */
  readonly poolSize?: number;
  /** Milliseconds to connect, or to get a free connection. Defaults to `connect_timeout` of the URL, or else to 1,500. */
  readonly connectTimeout?: number;
  /** Milliseconds that a statement may take. Defaults to 30,000. */
  readonly statementTimeout?: number;
}

export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
  readonly size: number;
}

/** Called with the first word of a statement that may or may not have been applied, and the error that lost its result. */
export type UnknownOutcome = (statement: string, cause: unknown) => void;

/** Milliseconds before the first probes of one statement, and before each further one. A probe is a connection. */
const probePauses = [500, 5000];
const lastPause = 30_000;
/** The part of `connectTimeout` that a probe may take to connect, and then to answer. */
const probePatience = 0.8;
/** Milliseconds for which a server process has nothing to do while this side waits: less than the first pause. */
const lostAfter = 400;
/**
 * Processes of the server that have nothing to do, though this side waits for a result: a network that failed for a
 * moment has lost the statement or its result, and neither side hears of it.
 */
const findWaiting = `select pid from pg_stat_activity where pid = any($1) and state like 'idle%'
  and state_change < clock_timestamp() - interval '${lostAfter} ms'`;
/** Milliseconds between attempts to connect to a server that has too many connections. */
const retryPause = 100;
/** Statements that change nothing, also when their result is lost: a transaction that loses its connection is rolled back. */
const harmless = new Set(["select", "show", "start", "begin", "rollback", "savepoint", "release"]);

/** A pool of connections to PostgreSQL in which every call ends within its timeout, also when the server is down. */
export class PostgresPool {
  /** Resolves after the last probe. All pools of the process share it, so that one connection at a time is a probe. */
  static #probes = Promise.resolve();

  readonly #url: string;
  readonly #place: SqlPlace;
  readonly #connectTimeout: number;
  readonly #statementTimeout: number;
  readonly #poolSize: number;
  readonly #sessions = new Set<PostgresSession>();
  /** Those whose slow statement the next probe asks about. */
  readonly #suspects = new Set<PostgresSession>();
  readonly #onUnknownOutcome: UnknownOutcome;
  #driver: PostgresDriverPackage | undefined;
  #pool: Pool | undefined;

  constructor(url: string, options: PostgresOptions = {}, onUnknownOutcome: UnknownOutcome = () => {}) {
    this.#url = url;
    this.#place = { database: "postgres", ...toPlace(url, { namespace: "postgres", port: 5432 }) };
    this.#onUnknownOutcome = onUnknownOutcome;
    this.#poolSize = options.poolSize ?? 10;
    const seconds = Number(new URL(url).searchParams.get("connect_timeout"));
    this.#connectTimeout = options.connectTimeout ?? (seconds > 0 ? seconds * 1000 : 1500);
    this.#statementTimeout = options.statementTimeout ?? 30_000;
  }

  async open(): Promise<void> {
    if (this.#pool !== undefined) return;
    // the cast keeps only the members that are used here
    const load = async () => (await import("pg")).default as unknown as PostgresDriverPackage;
    const driver = await loadDriver("pg", "database", load);
    const { types } = driver;
    this.#driver = driver;
    this.#pool = new driver.Pool({
      connectionString: this.#url,
      max: this.#poolSize,
      connectionTimeoutMillis: this.#connectTimeout,
      statement_timeout: this.#statementTimeout,
      idle_in_transaction_session_timeout: 2 * this.#statementTimeout,
      keepAlive: true,
      types: {
        getTypeParser: (oid: number, format?: string) => findTypeParser(oid) ?? types.getTypeParser(oid, format),
      },
    });
    // without listeners an error of a connection would crash the process, also one before `connect()` resolves;
    // a broken connection is replaced when it is released
    this.#pool.on("connect", (client) => client.on("error", ignore));
    this.#pool.on("error", ignore);
  }

  /** Connects once, so that a start without a server fails with a clear message. */
  async check(): Promise<void> {
    const session = await this.acquire();
    try {
      await session.query("select 1", []);
    } finally {
      session.release();
    }
  }

  /** Retries a server with too many connections until the timeout: a connection of the pool may become free. */
  async acquire(): Promise<PostgresSession> {
    await this.open();
    const deadline = performance.now() + this.#connectTimeout;
    for (;;) {
      try {
        return this.#use(await (this.#pool as Pool).connect()); // opened just above
      } catch (error) {
        // whatever the reason is: nothing was asked of the server yet, so no statement has failed
        if (!isTooManyConnections(error) || performance.now() >= deadline)
          throw new StoreError("UNAVAILABLE", { cause: error });
      }
      await sleep(retryPause);
    }
  }

  #use(client: PooledClient): PostgresSession {
    const session = new PostgresSession(client, {
      place: this.#place,
      timeout: this.#statementTimeout + 1000,
      onSlow: () => this.#probe(session),
      onUnknownOutcome: this.#onUnknownOutcome,
      onRelease: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** Runs one statement on any connection. */
  async query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresResult<R>> {
    const session = await this.acquire();
    try {
      return await session.query<R>(sql, parameters);
    } finally {
      session.release();
    }
  }

  /** Connections that are in use and that are idle, callers that wait for one, and the most that there can be. */
  get use(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool ?? { totalCount: 0, idleCount: 0, waitingCount: 0 };
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, size: this.#poolSize };
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  /** A connection of its own that gets the notifications of a channel. */
  async listen(channel: string, { onMessage, onLost }: LinkListeners): Promise<Link> {
    await this.open();
    const driver = this.#driver as PostgresDriverPackage; // loaded just above
    const client = new driver.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: this.#connectTimeout,
      query_timeout: this.#connectTimeout,
      keepAlive: true,
    });
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    const close = () => void client.end().catch(ignore);
    try {
      await client.connect();
      await client.query(`listen ${quoteName(channel)}`, []);
    } catch (error) {
      close();
      throw translatePostgresError(error);
    }
    return { check: () => client.query("select 1", []), close };
  }

  /** Finds out whether a slow statement means a dead server or a dead connection. Only then it is abandoned. */
  #probe(session: PostgresSession): void {
    this.#suspects.add(session);
    if (this.#suspects.size > 1) return; // the first of them has queued the probe
    PostgresPool.#probes = PostgresPool.#probes.then(() => this.#abandonDead());
  }

  async #abandonDead(): Promise<void> {
    const suspects = [...this.#suspects];
    this.#suspects.clear();
    const driver = this.#driver as PostgresDriverPackage; // a statement is running, so the driver is loaded
    const timeout = this.#connectTimeout * probePatience;
    const client = new driver.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
    });
    client.on("error", ignore);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(findWaiting, [suspects.map(({ pid }) => pid)]);
      const pids = new Set(rows.map(({ pid }) => pid));
      for (const session of suspects) {
        // not one that has begun another statement meanwhile
        if (session.isSlow && session.pid !== null && pids.has(session.pid))
          session.abandon(new Error("the connection has lost the statement or its result"));
      }
    } catch (error) {
      // a refusal shows that the server is running: the waiting statements must not be abandoned
      if (!isServerError(error) && !isTooManyConnections(error))
        for (const session of this.#sessions) session.abandon(error);
    }
    await endsInTime(client.end().catch(ignore), timeout); // a dead server does not confirm the end
  }
}

interface SessionOptions {
  readonly place: SqlPlace;
  /** Milliseconds. */
  readonly timeout: number;
  readonly onSlow: () => void;
  readonly onUnknownOutcome: UnknownOutcome;
  readonly onRelease: () => void;
}

/** One connection while it is in use. A broken connection is closed instead of returned to the pool. */
export class PostgresSession {
  readonly #client: PooledClient;
  readonly #options: SessionOptions;
  #broken = false;
  #abandoned = false;
  #released = false;
  #isSlow = false;
  #abandon: ((error: StoreError) => void) | undefined;

  constructor(client: PooledClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** The id of the server process. */
  get pid(): number | null {
    return this.#client.processID;
  }

  /** Whether its statement takes long. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresResult<R>> {
    return traceSql(this.#options.place, sql, parameters, () => this.#query<R>(sql, parameters));
  }

  async #query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresResult<R>> {
    // the driver would queue it after the abandoned statement
    if (this.#abandoned) throw new StoreError("UNAVAILABLE", { cause: new Error("the connection was abandoned") });
    const started = performance.now();
    let watch: NodeJS.Timeout | undefined;
    const watchAgain = (probes: number) => {
      const left = this.#options.timeout - (performance.now() - started);
      watch = setTimeout(
        () => {
          if (performance.now() - started > this.#options.timeout)
            return this.abandon(new Error("the statement took too long"));
          this.#isSlow = true;
          this.#options.onSlow();
          watchAgain(probes + 1);
        },
        Math.min(probePauses[probes] ?? lastPause, left + 1),
      );
    };
    watchAgain(0);
    try {
      return await new Promise((resolve, reject) => {
        this.#abandon = reject;
        this.#client.query<R>(sql, parameters.map(toPostgresValue)).then(resolve, reject);
      });
    } catch (error) {
      if (!isServerError(error)) this.#broken = true;
      const kind = /[a-z]+/i.exec(sql)?.[0].toLowerCase() ?? "";
      if (isOutcomeUnknown(error) && !harmless.has(kind)) this.#options.onUnknownOutcome(kind, error);
      throw translatePostgresError(error, sql);
    } finally {
      clearTimeout(watch);
      this.#isSlow = false;
      this.#abandon = undefined;
    }
  }

  /** Fails the running statement and marks the connection as broken. */
  abandon(cause: unknown): void {
    this.#broken = true;
    this.#abandoned = true;
    this.#abandon?.(new StoreError("UNAVAILABLE", { cause }));
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#client.release(this.#broken);
    this.#options.onRelease();
  }
}

function ignore(): void {}

/** A date is the same text in any column as on SQLite; the driver would write it with the offset of the process. */
function toPostgresValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
