import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  type TransactionSettings,
} from "kysely";
import { CommitHook, CommitHooks, Savepoints } from "./after-commit.ts";
import { PortableSqliteCompiler } from "./sqlite-compiler.ts";
import type { SqliteResult } from "./sqlite-connection.ts";
import type { SqliteFile, SqliteTransaction } from "./sqlite-file.ts";
import { StatementOrigins } from "./statement-origins.ts";
import { TransactionGuard } from "./transaction-guard.ts";

/** Kysely on node:sqlite. */
export function createSqliteDialect(file: SqliteFile): Dialect {
  const origins = new StatementOrigins();
  return {
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createDriver: () => new SqliteDriver(file, origins),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => origins.watch(new PortableSqliteCompiler()),
  };
}

/** By default Kysely uses SQLite with one caller at a time; SqliteFile has a connection for reads beside the one for transactions. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteDriver extends Savepoints implements Driver {
  readonly #file: SqliteFile;
  readonly #origins: StatementOrigins;
  /** Reused, because Kysely registers each new connection object. */
  readonly #free: SqliteConnection[] = [];

  constructor(file: SqliteFile, origins: StatementOrigins) {
    super();
    this.#file = file;
    this.#origins = origins;
  }

  async init(): Promise<void> {
    await this.#file.open();
  }

  async acquireConnection(): Promise<SqliteConnection> {
    return this.#free.pop() ?? new SqliteConnection(this.#file, this.#origins);
  }

  async beginTransaction(connection: SqliteConnection, settings: TransactionSettings): Promise<void> {
    connection.guard ??= new TransactionGuard();
    connection.transaction = await this.#file.begin({ readOnly: settings.accessMode === "read only" });
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.endTransaction((transaction) => transaction.commit());
    await connection.hooks.run();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.endTransaction((transaction) => transaction.rollback());
    connection.hooks.clear();
  }

  /** One that had a transaction is not used again, so that a late statement finds its guard. */
  async releaseConnection(connection: SqliteConnection): Promise<void> {
    if (connection.guard === undefined) this.#free.push(connection);
    else connection.guard.release();
  }

  async destroy(): Promise<void> {
    await this.#file.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  readonly #origins: StatementOrigins;
  readonly hooks = new CommitHooks();
  transaction: SqliteTransaction | undefined;
  /** Set while the connection is in a transaction. */
  guard: TransactionGuard | undefined;

  constructor(file: SqliteFile, origins: StatementOrigins) {
    this.#file = file;
    this.#origins = origins;
  }

  async endTransaction(end: (transaction: SqliteTransaction) => Promise<void> | void): Promise<void> {
    const transaction = this.transaction;
    await this.guard?.end(async () => transaction && end(transaction));
    this.transaction = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const late = this.guard?.check();
    if (late !== undefined) await late;
    if (query instanceof CommitHook) return this.hooks.add(query);
    const { sql, parameters, query: root } = query;
    try {
      if (this.transaction !== undefined) return toResult<R>(query, this.transaction.execute(sql, parameters, root));
      return executeNow<R>(this.#file, query) ?? toResult<R>(query, await this.#file.execute(sql, parameters, root));
    } catch (error) {
      throw this.#origins.locate(error, query);
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { sql, parameters, query: root } = query;
    try {
      for await (const row of this.#file.iterate(sql, parameters, root)) yield { rows: [row as R] }; // what the query selected
    } catch (error) {
      throw this.#origins.locate(error, query);
    }
  }
}

/** Runs the query synchronously; undefined when it has to wait for a lock. */
export function executeNow<R>(file: SqliteFile, query: CompiledQuery): QueryResult<R> | undefined {
  const result = file.executeNow(query.sql, query.parameters, query.query);
  return result && toResult<R>(query, result);
}

function toResult<R>({ query }: CompiledQuery, result: SqliteResult): QueryResult<R> {
  const rows = result.rows as R[]; // what the query selected
  if (query.kind === "SelectQueryNode") return { rows };
  return { rows, numAffectedRows: BigInt(result.changes), insertId: BigInt(result.insertId) };
}
