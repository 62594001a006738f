import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Mutex } from "../mutex.ts";
import { StoreError } from "../store-error.ts";
import { isBusy, translateSqliteError } from "./sqlite-errors.ts";

export interface SqliteResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number | bigint;
  readonly insertId: number | bigint;
}

export interface SqliteOptions {
  /** Milliseconds a locked database is tried again before the store gives up. */
  readonly lockTimeout?: number;
}

const maxStatements = 500;
const noRows: Record<string, unknown>[] = [];

interface Prepared {
  readonly statement: StatementSync;
  /** Empty when the statement gives no rows. */
  columns: readonly string[];
  /** The places of the columns declared BOOLEAN, which SQLite keeps as 0 and 1. */
  booleans: readonly number[];
  readonly changesSchema: boolean;
}

/** One connection: prepares each statement once and reads rows as arrays, which is faster than node's own objects. */
class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  readonly #onSchemaChange: () => void;

  constructor(path: string, onSchemaChange: () => void) {
    this.#onSchemaChange = onSchemaChange;
    // busy timeout 0: waiting inside SQLite would block the event loop, so that a locked file is waited for outside
    this.#database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    this.#database.exec("pragma journal_mode = wal; pragma synchronous = full;");
  }

  execute(sql: string, parameters: readonly unknown[]): SqliteResult {
    const prepared = this.#statements.get(sql) ?? this.#prepare(sql);
    const values = parameters.map(toSqliteValue);
    if (prepared.columns.length === 0) {
      const { changes, lastInsertRowid } = prepared.statement.run(...values);
      if (prepared.changesSchema) this.#onSchemaChange();
      return { rows: noRows, changes, insertId: lastInsertRowid };
    }
    // asked for arrays, which the type does not know
    const arrays = prepared.statement.all(...values) as unknown as readonly (readonly unknown[])[];
    if (arrays[0] !== undefined && arrays[0].length !== prepared.columns.length) describe(prepared);
    return { rows: arrays.map((row) => toObject(row, prepared)), changes: arrays.length, insertId: 0 };
  }

  *iterate(sql: string, parameters: readonly unknown[]): Generator<Record<string, unknown>> {
    const prepared = this.#describe(sql);
    const rows = prepared.statement.iterate(...parameters.map(toSqliteValue)) as unknown as Iterable<
      readonly unknown[]
    >; // as above
    for (const row of rows) yield toObject(row, prepared);
  }

  /** Cached statements would keep the columns of the old schema. */
  forget(): void {
    this.#statements.clear();
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#describe(sql);
    const oldest = this.#statements.size >= maxStatements ? this.#statements.keys().next().value : undefined;
    if (oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #describe(sql: string): Prepared {
    const statement = this.#database.prepare(sql);
    return describe({ statement, columns: [], booleans: [], changesSchema: /^\s*(?:create|alter|drop)\b/i.test(sql) });
  }
}

function describe(prepared: Prepared): Prepared {
  const columns = prepared.statement.columns();
  prepared.columns = columns.map((column) => column.name);
  prepared.booleans = columns.flatMap((column, index) => (column.type?.toLowerCase() === "boolean" ? [index] : []));
  if (columns.length > 0) prepared.statement.setReturnArrays(true);
  return prepared;
}

function toObject(row: readonly unknown[], { columns, booleans }: Prepared): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index] as string] = row[index]; // below the length
  for (const index of booleans) {
    const value = row[index];
    if (value !== null) object[columns[index] as string] = value !== 0;
  }
  return object;
}

function toSqliteValue(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value as SQLInputValue; // anything else is refused by SQLite itself, with its own words in the log
}

/**
 * An SQLite file, or a database in memory, shared by everything that is kept in it.
 * Single statements run on one connection and transactions on another, so that readers never wait for a transaction.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #lockTimeout: number;
  readonly #transactions = new Mutex();
  #main: Connection | undefined;
  #second: Connection | undefined;

  constructor(path: string, options: SqliteOptions = {}) {
    this.#path = path;
    this.#lockTimeout = options.lockTimeout ?? 5000;
  }

  get #inMemory(): boolean {
    return this.#path === ":memory:";
  }

  /** Opens the file, and makes it and its folder when they are not there. Does nothing when it is open. */
  async open(): Promise<void> {
    this.#main ??= await this.#connect();
  }

  close(): void {
    if (this.#second !== this.#main) this.#second?.close();
    this.#main?.close();
    this.#main = undefined;
    this.#second = undefined;
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const result = this.executeNow(sql, parameters);
    if (result !== undefined) return result;
    if (this.#inMemory && this.#transactions.held) await this.#transactions.free();
    await this.open();
    return this.#retry(() => this.#connection.execute(sql, parameters));
  }

  /** The result, without a promise, if nothing has to be waited for: most statements need neither a lock nor a second try. */
  executeNow(sql: string, parameters: readonly unknown[]): SqliteResult | undefined {
    // in memory there is one connection only, and a statement of another must not slip into a transaction
    if (this.#main === undefined || (this.#inMemory && this.#transactions.held)) return undefined;
    try {
      return this.#main.execute(sql, parameters);
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw translateSqliteError(error);
    }
  }

  async *iterate(sql: string, parameters: readonly unknown[]): AsyncGenerator<Record<string, unknown>> {
    if (this.#inMemory && this.#transactions.held) await this.#transactions.free();
    await this.open();
    try {
      yield* this.#connection.iterate(sql, parameters);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  /** Takes the write lock at once: a transaction that began by reading could not be continued after a foreign write. */
  async begin(options: { readonly readOnly?: boolean } = {}): Promise<SqliteTransaction> {
    const release = await this.#transactions.acquire();
    try {
      await this.open();
      this.#second ??= this.#inMemory ? this.#connection : await this.#connect();
      const connection = this.#second;
      const sql = options.readOnly === true ? "begin" : "begin immediate";
      await this.#retry(() => connection.execute(sql, []));
      return new SqliteTransaction(connection, release, (statement) =>
        this.#retry(() => connection.execute(statement, [])),
      );
    } catch (error) {
      release();
      throw error;
    }
  }

  get #connection(): Connection {
    if (this.#main === undefined) throw new StoreError("UNAVAILABLE", { cause: new Error("the file is closed") });
    return this.#main;
  }

  /** Retried too: a new file is locked while another process turns it to WAL. */
  async #connect(): Promise<Connection> {
    return this.#retry(() => {
      if (!this.#inMemory) prepareFile(this.#path);
      return new Connection(this.#path, () => {
        this.#main?.forget();
        this.#second?.forget();
      });
    });
  }

  /** Waits between attempts, so that the event loop goes on while another process holds the lock. */
  async #retry<T>(attempt: () => T): Promise<T> {
    let deadline = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw translateSqliteError(error);
        deadline ||= performance.now() + this.#lockTimeout;
        if (performance.now() >= deadline) throw new StoreError("UNAVAILABLE", { cause: error });
      }
      await sleep(pause);
    }
  }
}

/** A new file is its owner's alone: it holds what the application knows of people. SQLite gives its side files the same rights. */
function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // never opened when it exists: closing it would drop the lock that SQLite holds on it for the whole process, and the
    // next process that closes the file would then remove the log into which this one goes on writing
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

export class SqliteTransaction {
  readonly #connection: Connection;
  readonly #done: () => void;
  readonly #commit: (sql: string) => Promise<unknown>;

  constructor(connection: Connection, done: () => void, commit: (sql: string) => Promise<unknown>) {
    this.#connection = connection;
    this.#done = done;
    this.#commit = commit;
  }

  execute(sql: string, parameters: readonly unknown[]): SqliteResult {
    try {
      return this.#connection.execute(sql, parameters);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async commit(): Promise<void> {
    await this.#commit("commit");
    this.#done();
  }

  rollback(): void {
    try {
      // a full disk or a failed write has already rolled back by itself
      if (this.#connection.inTransaction) this.#connection.execute("rollback", []);
    } catch (error) {
      throw translateSqliteError(error);
    } finally {
      this.#done();
    }
  }
}
