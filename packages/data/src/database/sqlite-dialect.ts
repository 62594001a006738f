import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { quoteName } from "./quote-name.ts";
import type { SqliteFile, SqliteResult, SqliteTransaction } from "./sqlite-file.ts";

/** Kysely on node:sqlite. */
export function createSqliteDialect(file: SqliteFile): Dialect {
  return {
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely lets one caller at a time into SQLite; our file has a connection for readers beside the one that writes. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #file: SqliteFile;
  /** Used again, because Kysely registers each connection that it has not seen before. */
  readonly #free: SqliteConnection[] = [];

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async init(): Promise<void> {
    await this.#file.open();
  }

  async acquireConnection(): Promise<SqliteConnection> {
    return this.#free.pop() ?? new SqliteConnection(this.#file);
  }

  async beginTransaction(connection: SqliteConnection, settings: TransactionSettings): Promise<void> {
    connection.transaction = await this.#file.begin({ readOnly: settings.accessMode === "read only" });
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.transaction?.commit();
    connection.transaction = undefined;
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    connection.transaction?.rollback();
    connection.transaction = undefined;
  }

  async savepoint(connection: SqliteConnection, name: string): Promise<void> {
    connection.transaction?.execute(`savepoint ${quoteName(name)}`, []);
  }

  async rollbackToSavepoint(connection: SqliteConnection, name: string): Promise<void> {
    connection.transaction?.execute(`rollback to ${quoteName(name)}`, []);
  }

  async releaseSavepoint(connection: SqliteConnection, name: string): Promise<void> {
    connection.transaction?.execute(`release ${quoteName(name)}`, []);
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    this.#free.push(connection);
  }

  async destroy(): Promise<void> {
    this.#file.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  transaction: SqliteTransaction | undefined;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const result =
      this.transaction === undefined
        ? (this.#file.executeNow(sql, parameters) ?? (await this.#file.execute(sql, parameters)))
        : this.transaction.execute(sql, parameters);
    return query.kind === "SelectQueryNode" ? { rows: result.rows as R[] } : toResult<R>(result); // rows are what the query selected
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for await (const row of this.#file.iterate(sql, parameters)) yield { rows: [row as R] }; // as above
  }
}

function toResult<R>({ rows, changes, insertId }: SqliteResult): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(changes), insertId: BigInt(insertId) }; // as above
}
