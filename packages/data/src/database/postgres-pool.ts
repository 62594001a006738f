import { setTimeout as sleep } from "node:timers/promises";
import { loadDriver } from "../load-driver.ts";
import { StoreError } from "../store-error.ts";
import type { Pool, PooledClient, PostgresDriverPackage, PostgresResult } from "./postgres-driver.ts";
import { isOutcomeUnknown, isServerError, isTooManyConnections, translatePostgresError } from "./postgres-errors.ts";

export interface PostgresOptions {
  readonly poolSize?: number;
  /** Milliseconds to connect, or to get a free connection. */
  readonly connectTimeout?: number;
  /** Milliseconds a statement may take. */
  readonly statementTimeout?: number;
}

/** Called with the first word of a statement that may or may not have been applied, and why that is not known. */
export type UnknownOutcome = (statement: string, cause: unknown) => void;

const probeAfter = 800;
/** Milliseconds between attempts to connect to a server that has too many connections. */
const retryPause = 100;
/** Whatever became of these, nothing has changed: a transaction that loses its connection is rolled back. */
const harmless = new Set(["select", "show", "start", "begin", "rollback", "savepoint", "release"]);
const int8 = 20;

/** A pool of connections to PostgreSQL that answers within its deadlines, also when the server is gone. */
export class PostgresPool {
  readonly #url: string;
  readonly #place: string;
  readonly #connectTimeout: number;
  readonly #statementTimeout: number;
  readonly #poolSize: number;
  readonly #sessions = new Set<PostgresSession>();
  readonly #onUnknownOutcome: UnknownOutcome;
  #driver: PostgresDriverPackage | undefined;
  #pool: Pool | undefined;
  #probing: Promise<void> | undefined;

  constructor(url: string, place: string, options: PostgresOptions = {}, onUnknownOutcome: UnknownOutcome = () => {}) {
    this.#url = url;
    this.#onUnknownOutcome = onUnknownOutcome;
    this.#place = place;
    this.#poolSize = options.poolSize ?? 10;
    this.#connectTimeout = options.connectTimeout ?? 1500;
    this.#statementTimeout = options.statementTimeout ?? 30_000;
  }

  async open(): Promise<void> {
    if (this.#pool !== undefined) return;
    // the cast leaves out what we do not use of it
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
        // counts and sums are numbers on SQLite too; what a number cannot hold stays text
        getTypeParser: (oid: number, format?: string) => (oid === int8 ? toNumber : types.getTypeParser(oid, format)),
      },
    });
    // one that breaks is replaced when it is given back; unheard, its errors would end the process, also those that come
    // before `connect()` has told of it
    this.#pool.on("connect", (client) => client.on("error", ignore));
    this.#pool.on("error", ignore);
  }

  /** Connects once, so that a start without a server fails with a line that says so. */
  async check(): Promise<void> {
    const session = await this.acquire();
    try {
      await session.query("select 1", []);
    } finally {
      session.release();
    }
  }

  /** A server with too many connections is asked again within the same limit: one of the pool may become free. */
  async acquire(): Promise<PostgresSession> {
    await this.open();
    const deadline = performance.now() + this.#connectTimeout;
    for (;;) {
      try {
        return this.#use(await (this.#pool as Pool).connect()); // opened just above
      } catch (error) {
        if (!isTooManyConnections(error) || performance.now() >= deadline) throw translatePostgresError(error);
      }
      await sleep(retryPause);
    }
  }

  #use(client: PooledClient): PostgresSession {
    const session = new PostgresSession(client, {
      deadline: this.#statementTimeout + 1000,
      onSlow: () => this.#probe(),
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

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  /** How many connections are open, and how many of them nobody uses: for tests and for health. */
  usage(): { readonly total: number; readonly idle: number; readonly waiting: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.#pool ?? {};
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  get place(): string {
    return this.#place;
  }

  /** A statement takes long. Is it slow, or is the server gone? Only the second ends the statements that wait. */
  #probe(): void {
    this.#probing ??= this.#ping()
      .catch((error: unknown) => {
        for (const session of this.#sessions) session.abandon(error);
      })
      .finally(() => {
        this.#probing = undefined;
      });
  }

  async #ping(): Promise<void> {
    const driver = this.#driver as PostgresDriverPackage; // a statement runs, so the driver is loaded
    const client = new driver.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: probeAfter,
      query_timeout: probeAfter,
    });
    client.on("error", ignore);
    try {
      await client.connect();
      await client.query("select 1", []);
    } catch (error) {
      // it says no, so it is alive: the statements that wait must not be given up
      if (!isServerError(error) && !isTooManyConnections(error)) throw error;
    } finally {
      client.end().catch(() => {});
    }
  }
}

interface SessionOptions {
  readonly deadline: number;
  readonly onSlow: () => void;
  readonly onUnknownOutcome: UnknownOutcome;
  readonly onRelease: () => void;
}

/** One connection while it is in use. A connection that failed in any way of its own is not given back to the pool. */
export class PostgresSession {
  readonly #client: PooledClient;
  readonly #options: SessionOptions;
  #broken = false;
  #abandoned = false;
  #released = false;
  #abandon: ((error: StoreError) => void) | undefined;

  constructor(client: PooledClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
  }

  async query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresResult<R>> {
    // the driver would queue it after the one that was given up
    if (this.#abandoned) throw new StoreError("UNAVAILABLE", { cause: new Error("the connection was given up") });
    const started = performance.now();
    let watch: NodeJS.Timeout | undefined;
    const watchAgain = () => {
      watch = setTimeout(() => {
        if (performance.now() - started > this.#options.deadline)
          this.abandon(new Error("the statement took too long"));
        else {
          this.#options.onSlow();
          watchAgain();
        }
      }, probeAfter);
    };
    watchAgain();
    try {
      return await new Promise((resolve, reject) => {
        this.#abandon = reject;
        this.#client.query<R>(sql, [...parameters]).then(resolve, reject);
      });
    } catch (error) {
      if (!isServerError(error)) this.#broken = true;
      const kind = /[a-z]+/i.exec(sql)?.[0].toLowerCase() ?? "";
      if (isOutcomeUnknown(error) && !harmless.has(kind)) this.#options.onUnknownOutcome(kind, error);
      throw translatePostgresError(error);
    } finally {
      clearTimeout(watch);
      this.#abandon = undefined;
    }
  }

  /** Ends the statement that waits and lets the connection go. */
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

function toNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}
