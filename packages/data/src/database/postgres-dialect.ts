import { setImmediate as turn } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { CommitHook, CommitHooks, Savepoints } from "./after-commit.ts";
import { PortablePostgresCompiler } from "./postgres-compiler.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import type { PostgresSession } from "./postgres-session.ts";
import { PreparedQuery } from "./prepared-query.ts";
import { StatementOrigins } from "./statement-origins.ts";
import { TransactionGuard } from "./transaction-guard.ts";

/** Kysely on our pool. */
export function createPostgresDialect(pool: PostgresPool): Dialect {
  const origins = new StatementOrigins();
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool, origins),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => origins.watch(new PortablePostgresCompiler()),
  };
}

class PostgresDriver extends Savepoints implements Driver {
  readonly #pool: PostgresPool;
  readonly #origins: StatementOrigins;

  constructor(pool: PostgresPool, origins: StatementOrigins) {
    super();
    this.#pool = pool;
    this.#origins = origins;
  }

  async init(): Promise<void> {
    await this.#pool.open();
  }

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#pool.acquire(), this.#origins);
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel === undefined ? "" : ` isolation level ${settings.isolationLevel}`;
    const access = settings.accessMode === undefined ? "" : ` ${settings.accessMode}`;
    const begin = `start transaction${isolation}${access}${this.#pool.transactionSettings}`;
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.guard.end(() => connection.session.query("commit", []));
    await connection.hooks.run();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    connection.hooks.clear();
    await connection.guard.end(() => connection.session.query("rollback", []));
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.guard.release();
    connection.session.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.close();
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly hooks = new CommitHooks();
  readonly guard = new TransactionGuard();
  readonly session: PostgresSession;
  readonly #origins: StatementOrigins;

  constructor(session: PostgresSession, origins: StatementOrigins) {
    this.session = session;
    this.#origins = origins;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const late = this.guard.check();
    if (late !== undefined) await late;
    if (query instanceof CommitHook) return this.hooks.add(query);
    const { sql, parameters } = query;
    try {
      const name = query instanceof PreparedQuery ? query.name : undefined;
      const { rows, rowCount } = await this.session.query<R>(sql, parameters, name);
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      throw this.#origins.locate(error, query);
    }
  }

  /**
   * Reads all rows at once: a cursor would hold a pool slot for as long as the reader takes. Other work runs between two
   * chunks.
   */
  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    const { rows } = await this.executeQuery<R>(query);
    for (let start = 0; start < rows.length; start += chunkSize) {
      yield { rows: rows.slice(start, start + chunkSize) };
      await turn();
    }
  }
}
