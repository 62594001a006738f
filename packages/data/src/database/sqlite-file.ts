import { closeSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { RootOperationNode } from "kysely";
import { StoreError } from "../store-error.ts";
import { Mutex } from "../support/mutex.ts";
import { type SqlPlace, sqlTracing, traceSql } from "../tracing.ts";
import { SqliteConnection, type SqliteResult } from "./sqlite-connection.ts";
import { isBusy, translateSqliteError } from "./sqlite-errors.ts";

export interface SqliteOptions {
  /** Milliseconds for which a locked database is retried. Defaults to 5,000. */
  readonly lockTimeout?: number;
}

/** Rows of a stream after which other work runs: SQLite has the next row at once, so nothing else would. */
const rowsAtOnce = 64;

/**
 * An SQLite file, or a database in memory, shared by all stores that use it. Single statements run on one connection and
 * transactions on another, so that readers never wait for a transaction.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #sqlPlace: SqlPlace;
  readonly #lockTimeout: number;
  readonly #transactions = new Mutex();
  #main: SqliteConnection | undefined;
  #second: SqliteConnection | undefined;
  /** The file that was opened. */
  #opened: Stats | undefined;

  constructor(path: string, options: SqliteOptions = {}) {
    this.#path = path;
    this.#sqlPlace = { database: "sqlite", namespace: basename(path) };
    this.#lockTimeout = options.lockTimeout ?? 5000;
  }

  get #inMemory(): boolean {
    return this.#path === ":memory:";
  }

  /** Opens the file; creates it and its folder when they are missing. Does nothing when it is open. */
  async open(): Promise<void> {
    this.#main ??= await this.#connect();
  }

  async close(): Promise<void> {
    if (this.#second !== this.#main) this.#second?.close();
    this.#main?.close();
    this.#main = undefined;
    this.#second = undefined;
    this.#opened = undefined;
  }

  /** Rejects when the file was deleted or replaced: SQLite still reads and writes the old one, which no restart finds. */
  async check(): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    const { dev, ino } = await stat(this.#path);
    if (dev === opened.dev && ino === opened.ino) return;
    throw new StoreError("UNAVAILABLE", { cause: new Error(`${this.#path} was replaced by another file`) });
  }

  execute(sql: string, parameters: readonly unknown[], query?: RootOperationNode): Promise<SqliteResult> {
    return traceSql(this.#sqlPlace, sql, parameters, () => this.#execute(sql, parameters, query));
  }

  async #execute(sql: string, parameters: readonly unknown[], query?: RootOperationNode): Promise<SqliteResult> {
    const result = this.#executeNow(sql, parameters, query);
    if (result !== undefined) return result;
    if (this.#inMemory && this.#transactions.held) await this.#transactions.free();
    await this.open();
    return this.#retry(() => this.#connection.execute(sql, parameters, query), sql);
  }

  /** Runs a statement synchronously; undefined when it has to wait. Most statements need neither a lock nor a retry. */
  executeNow(sql: string, parameters: readonly unknown[], query?: RootOperationNode): SqliteResult | undefined {
    // execute() publishes a statement once, also when it has to wait
    return sqlTracing.hasSubscribers ? undefined : this.#executeNow(sql, parameters, query);
  }

  #executeNow(sql: string, parameters: readonly unknown[], query?: RootOperationNode): SqliteResult | undefined {
    // a database in memory has one connection, and other statements must not run inside its transaction
    if (this.#main === undefined || (this.#inMemory && this.#transactions.held)) return undefined;
    try {
      return this.#main.execute(sql, parameters, query);
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw translateSqliteError(error, sql);
    }
  }

  async *iterate(
    sql: string,
    parameters: readonly unknown[],
    query?: RootOperationNode,
  ): AsyncGenerator<Record<string, unknown>> {
    if (this.#inMemory && this.#transactions.held) await this.#transactions.free();
    await this.open();
    const over = Promise.withResolvers<{ readonly rows: readonly unknown[]; readonly rowCount: number }>();
    const published = traceSql(this.#sqlPlace, sql, parameters, () => over.promise);
    published.catch(() => {}); // the reader gets the error
    let count = 0;
    try {
      for (const row of this.#connection.iterate(sql, parameters, query)) {
        count++;
        yield row;
        if (count % rowsAtOnce === 0) await turn();
      }
    } catch (error) {
      const translated = translateSqliteError(error, sql);
      over.reject(translated);
      throw translated;
    } finally {
      over.resolve({ rows: [], rowCount: count }); // also when the reader stops early
    }
  }

  /** Takes the write lock at once: a transaction that starts by reading cannot write after another process has written. */
  async begin(options: { readonly readOnly?: boolean } = {}): Promise<SqliteTransaction> {
    const release = await this.#transactions.acquire();
    try {
      await this.open();
      this.#second ??= this.#inMemory ? this.#connection : await this.#connect();
      const connection = this.#second;
      const sql = options.readOnly === true ? "begin" : "begin immediate";
      const run = (statement: string) =>
        traceSql(this.#sqlPlace, statement, [], () => this.#retry(() => connection.execute(statement, []), statement));
      await run(sql);
      return new SqliteTransaction(connection, this.#sqlPlace, release, run);
    } catch (error) {
      release();
      throw error;
    }
  }

  get #connection(): SqliteConnection {
    if (this.#main === undefined) throw new StoreError("UNAVAILABLE", { cause: new Error("the file is closed") });
    return this.#main;
  }

  /** Retried too: a new file is locked while another process switches it to WAL. */
  async #connect(): Promise<SqliteConnection> {
    return this.#retry(() => {
      if (!this.#inMemory) prepareFile(this.#path);
      const connection = new SqliteConnection(this.#path, () => {
        this.#main?.forget();
        this.#second?.forget();
      });
      if (!this.#inMemory) this.#opened ??= statSync(this.#path);
      return connection;
    });
  }

  /** Waits between attempts, so that the event loop is not blocked while another process holds the lock. */
  async #retry<T>(attempt: () => T, sql?: string): Promise<T> {
    let deadline = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw translateSqliteError(error, sql);
        deadline ||= performance.now() + this.#lockTimeout;
        if (performance.now() >= deadline) throw new StoreError("UNAVAILABLE", { cause: error, sql });
      }
      await sleep(pause);
    }
  }
}

/** Creates a new file readable by its owner only, since it holds personal data. SQLite gives its side files the same mode. */
function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // an existing file is never opened here: closing it would drop the POSIX lock that SQLite holds for the whole process,
    // and the next process that closes the file would delete the log into which this one still writes
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

export class SqliteTransaction {
  readonly #connection: SqliteConnection;
  readonly #sqlPlace: SqlPlace;
  readonly #done: () => void;
  readonly #commit: (sql: string) => Promise<unknown>;

  constructor(
    connection: SqliteConnection,
    place: SqlPlace,
    done: () => void,
    commit: (sql: string) => Promise<unknown>,
  ) {
    this.#connection = connection;
    this.#sqlPlace = place;
    this.#done = done;
    this.#commit = commit;
  }

  execute(sql: string, parameters: readonly unknown[], query?: RootOperationNode): SqliteResult {
    return traceSql(this.#sqlPlace, sql, parameters, () => {
      try {
        return this.#connection.execute(sql, parameters, query);
      } catch (error) {
        throw translateSqliteError(error, sql);
      }
    });
  }

  async commit(): Promise<void> {
    await this.#commit("commit");
    this.#done();
  }

  rollback(): void {
    try {
      // after a full disk or a failed write SQLite has already rolled back
      if (this.#connection.inTransaction) this.execute("rollback", []);
    } finally {
      this.#done();
    }
  }
}
