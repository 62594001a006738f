import { setTimeout as sleep } from "node:timers/promises";
import { endsWithin } from "@tenon/core/internal";
import { StoreError } from "../store-error.ts";
import type { Link, LinkListeners } from "../support/link.ts";
import { loadDriver } from "../support/load-driver.ts";
import { type SqlPlace, toPlace } from "../tracing.ts";
import { requestCancel } from "./postgres-cancel.ts";
import type { Pool, PooledClient, PostgresDriverPackage, PostgresResult, SingleClient } from "./postgres-driver.ts";
import { hasSqlState, isServerError, isTooManyConnections, translatePostgresError } from "./postgres-errors.ts";
import { PostgresSession, type UnknownOutcome } from "./postgres-session.ts";
import { type PostgresOptions, type PostgresSettings, toPostgresSettings } from "./postgres-settings.ts";
import { findTypeParser } from "./postgres-types.ts";
import { quoteName } from "./quote-name.ts";

export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
  readonly size: number;
}

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
/** Milliseconds after its timeout at which the client cancels a statement that the server has not ended by itself. */
const serverDelay = 1000;
/** Milliseconds between attempts to connect to a server that has too many connections. */
const retryPause = 100;
/** Callers that may wait, for each connection of the pool. */
const waitingEach = 100;
/**
 * The parts of `connectTimeout` that a caller would wait at most, by the latest waits: in a burst, and once callers have
 * waited for as long as the timeout without a break. A queue that never ends makes all of them wait and serves no more.
 */
const waitInBurst = 0.5;
const waitInOverload = 0.05;
/** One for all: an overloaded process has no time to make an error with a stack for each. */
const overload = new StoreError("UNAVAILABLE", { cause: "too many callers wait for a connection of the pool" });

/** A pool of connections to PostgreSQL in which every call ends within its timeout, also when the server is down. */
export class PostgresPool {
  /** Resolves after the last probe. All pools of the process share it, so that one connection at a time is a probe. */
  static #probes = Promise.resolve();

  readonly #settings: PostgresSettings;
  readonly #place: SqlPlace;
  readonly #sessions = new Set<PostgresSession>();
  /** The slow statements that the next probe asks about. */
  readonly #suspects = new Map<PostgresSession, symbol | undefined>();
  readonly #onUnknownOutcome: UnknownOutcome;
  /** The connection of `ping()`. */
  #own: Promise<Link> | undefined;
  #driver: PostgresDriverPackage | undefined;
  #pool: Pool | undefined;
  /** Milliseconds of waiting for each caller ahead: the average of the latest waits. 0 where there is none. */
  #pace = 0;
  /** When a caller last found a free connection, by `performance.now()`. A queue that gets short for a moment still lasts. */
  #calmAt = 0;

  constructor(url: string, options: PostgresOptions = {}, onUnknownOutcome: UnknownOutcome = () => {}) {
    this.#settings = toPostgresSettings(url, options);
    this.#place = { database: "postgres", ...toPlace(url, { namespace: "postgres", port: 5432 }) };
    this.#onUnknownOutcome = onUnknownOutcome;
  }

  /**
   * What follows `start transaction` in the same message: the settings that a pooler takes only there, and no timeout,
   * which the driver leaves to the settings of the server.
   */
  get transactionSettings(): string {
    if (!this.#settings.hasPooler && this.#settings.statementTimeout > 0) return "";
    return Object.entries(this.#timeouts)
      .map(([name, value]) => `; set local ${name} = ${value}`)
      .join("");
  }

  get #timeouts() {
    const { statementTimeout } = this.#settings;
    return { statement_timeout: statementTimeout, idle_in_transaction_session_timeout: 2 * statementTimeout };
  }

  async open(): Promise<void> {
    if (this.#pool !== undefined) return;
    // the cast keeps only the members that are used here
    const load = async () => (await import("pg")).default as unknown as PostgresDriverPackage;
    const driver = await loadDriver("pg", "database", load);
    const { types } = driver;
    this.#driver = driver;
    const { connectionString, poolSize, connectTimeout, hasPooler } = this.#settings;
    this.#pool = new driver.Pool({
      connectionString,
      max: poolSize,
      connectionTimeoutMillis: connectTimeout,
      ...(hasPooler ? {} : this.#timeouts), // a pooler refuses them
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

  /**
   * Refuses a caller at once when the queue is full, or would keep it waiting for too long. Retries a server with too many
   * connections until the timeout: a connection of the pool may become free.
   */
  async acquire(): Promise<PostgresSession> {
    if (this.#pool === undefined) await this.open();
    this.refuseIfBusy();
    const begun = performance.now();
    for (;;) {
      const { used, waiting, size } = this.use;
      const isQueued = used >= size;
      if (!isQueued) {
        this.#pace = 0; // what was true before does not count: the server may have been down
        this.#calmAt = begun;
      }
      try {
        const client = await (this.#pool as Pool).connect(); // opened above
        if (isQueued) this.#notePace(performance.now() - begun, waiting);
        return this.#use(client);
      } catch (error) {
        const waited = performance.now() - begun;
        if (isQueued) this.#notePace(waited, waiting);
        // whatever the reason is: nothing was asked of the server yet, so no statement has failed
        if (!isTooManyConnections(error) || waited >= this.#settings.connectTimeout)
          throw isQueueTimeout(error) ? overload : new StoreError("UNAVAILABLE", { cause: error });
      }
      await sleep(retryPause);
    }
  }

  /** Throws what `acquire()` would. As many callers as connections may always wait: their waits show how fast it goes. */
  refuseIfBusy(): void {
    const { waiting, size } = this.use;
    if (waiting < size) return;
    const { connectTimeout } = this.#settings;
    const isBurst = performance.now() - this.#calmAt < connectTimeout;
    const longest = connectTimeout * (isBurst ? waitInBurst : waitInOverload);
    if (waiting >= size * waitingEach || waiting * this.#pace > longest) throw overload;
  }

  #notePace(waited: number, ahead: number): void {
    const pace = waited / (ahead + 1);
    this.#pace = this.#pace === 0 ? pace : this.#pace + (pace - this.#pace) / 16;
  }

  #use(client: PooledClient): PostgresSession {
    const { statementTimeout, connectTimeout, hasPooler } = this.#settings;
    const session = new PostgresSession(client, {
      place: this.#place,
      canPrepare: !hasPooler, // the next transaction may have another connection to the server
      timeout: (statementTimeout || Number.POSITIVE_INFINITY) + (hasPooler ? 0 : serverDelay),
      patience: connectTimeout,
      cancel: () => requestCancel(this.#createClient(connectTimeout), client, connectTimeout),
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
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, size: this.#settings.poolSize };
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    void this.#own?.then((link) => link.close(), ignore);
    this.#own = undefined;
    await pool?.end();
  }

  /**
   * Runs a statement on a connection of its own, which stays open: in the queue of the pool an overloaded application would
   * look as if its database were down.
   */
  async ping(statement?: string): Promise<void> {
    for (let isKept = this.#own !== undefined; ; isKept = false) {
      this.#own ??= this.#connect(this.#settings.connectionString, { onMessage: ignore, onLost: ignore });
      const own = this.#own;
      try {
        await (await own).check(statement);
        return;
      } catch (error) {
        if (this.#own === own) this.#own = undefined;
        void own.then((link) => link.close(), ignore);
        if (!isKept) throw error; // a kept one may have been lost since
      }
    }
  }

  /** Whether `listen()` has a URL: a pooler hands out no connection that could listen. */
  get canListen(): boolean {
    return this.#settings.listenString !== undefined;
  }

  /** A connection of its own that gets the notifications of a channel. */
  listen(channel: string, listeners: LinkListeners): Promise<Link> {
    return this.#connect(this.#settings.listenString, listeners, `listen ${quoteName(channel)}`);
  }

  async #connect(
    connectionString: string | undefined,
    { onMessage, onLost }: LinkListeners,
    first = "select 1",
  ): Promise<Link> {
    await this.open();
    const client = this.#createClient(this.#settings.connectTimeout, connectionString);
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    const close = () => void client.end().catch(ignore);
    try {
      await client.connect();
      await client.query(first, []);
    } catch (error) {
      close();
      throw translatePostgresError(error);
    }
    let last: Promise<unknown> = Promise.resolve(); // the driver warns of a statement that begins during another
    const check = (statement = "select 1") => (last = last.catch(ignore).then(() => client.query(statement, [])));
    return { check, close };
  }

  /** Finds out whether a slow statement means a dead server or a dead connection. Only then it is abandoned. */
  #probe(session: PostgresSession): void {
    this.#suspects.set(session, session.slowStatement);
    if (this.#suspects.size > 1) return; // the first of them has queued the probe
    PostgresPool.#probes = PostgresPool.#probes.then(() => this.#abandonDead());
  }

  async #abandonDead(): Promise<void> {
    const suspects = new Map(this.#suspects);
    this.#suspects.clear();
    const { connectTimeout, hasPooler } = this.#settings;
    const timeout = connectTimeout * probePatience;
    const client = this.#createClient(timeout);
    client.on("error", ignore);
    try {
      await client.connect();
      // a pooler invents the ids of processes; and it lets any statement wait while its own connections are in use
      if (!hasPooler) await abandonLost(client, suspects);
    } catch (error) {
      // a refusal shows that the server is running: the waiting statements must not be abandoned
      const isAlive = hasPooler ? hasSqlState(error) : isServerError(error) || isTooManyConnections(error);
      if (!isAlive) for (const session of this.#sessions) session.abandon(error);
    }
    await endsWithin(client.end().catch(ignore), timeout); // a dead server does not confirm the end
  }

  /** A connection outside the pool, once `open()` has loaded the driver. */
  #createClient(timeout: number, connectionString = this.#settings.connectionString): SingleClient {
    const driver = this.#driver as PostgresDriverPackage; // loaded
    return new driver.Client({
      connectionString,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
      keepAlive: true,
    });
  }
}

async function abandonLost(
  client: SingleClient,
  suspects: ReadonlyMap<PostgresSession, symbol | undefined>,
): Promise<void> {
  const { rows } = await client.query<{ pid: number }>(findWaiting, [[...suspects.keys()].map(({ pid }) => pid)]);
  const pids = new Set(rows.map(({ pid }) => pid));
  for (const [session, statement] of suspects) {
    // not one that has begun another statement meanwhile, which may be slow too
    if (session.slowStatement === statement && session.pid !== null && pids.has(session.pid))
      session.abandon(new Error("the connection has lost the statement or its result"));
  }
}

/** The driver's message for a caller that has waited for the connections of others. */
function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

function ignore(): void {}
