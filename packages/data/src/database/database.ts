import type { OnStart, OnStop } from "@tenon/core";
import {
  type AbortableQueryOptions,
  type Compilable,
  type CompiledQuery,
  type Dialect,
  Kysely,
  type QueryResult,
} from "kysely";

export interface DatabaseParts {
  readonly dialect: Dialect;
  readonly kind: "sqlite" | "postgres";
  /** Opens the store; rejects with a readable message when it does not respond. */
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Runs a query synchronously, where the store can; undefined when the query has to wait. */
  readonly executeNow?: <Row>(query: CompiledQuery<Row>) => QueryResult<Row> | undefined;
  /** The most connections of the pool; left out where there is none. */
  readonly poolSize?: number;
  /** Throws while a caller could not get a connection in time; left out where there is no pool. */
  readonly refuseIfBusy?: () => void;
  /** Another handle with a pool of its own; left out where there is none. */
  readonly reserve?: (poolSize: number, statementTimeout?: number) => Database;
}

/** A database or a transaction of any schema, for packages that do not know the tables of the application. */
// biome-ignore lint/suspicious/noExplicitAny: every schema is assignable to it
export type AnyDatabase = Kysely<any>;

/** A Kysely handle, typed by the application's schema: `inject(Database<Schema>)`. */
export class Database<Schema = unknown> extends Kysely<Schema> implements OnStart, OnStop {
  readonly kind: DatabaseParts["kind"];
  /** The most connections that the pool of PostgreSQL opens; undefined on SQLite. */
  readonly poolSize: number | undefined;
  readonly #parts: DatabaseParts;

  constructor(parts: DatabaseParts) {
    super({ dialect: parts.dialect });
    this.kind = parts.kind;
    this.poolSize = parts.poolSize;
    this.#parts = parts;
  }

  /** A compiled query that need not wait skips Kysely's promises around a connection, which take as long as the read itself. */
  override async executeQuery<Row>(
    query: CompiledQuery<Row> | Compilable<Row>,
    options?: AbortableQueryOptions,
  ): Promise<QueryResult<Row>> {
    const result = "sql" in query && options === undefined ? this.#parts.executeNow?.(query) : undefined;
    return result ?? super.executeQuery(query, options);
  }

  /**
   * A handle with connections of its own, opened on demand: its statements do not wait while this pool is used up. Call
   * `destroy()` to close them. Undefined on SQLite, which has no pool. `statementTimeout` defaults to that of this pool; 0
   * is none.
   */
  reserve(poolSize: number, statementTimeout?: number): Database | undefined {
    return this.#parts.reserve?.(poolSize, statementTimeout);
  }

  /** Throws the 503 that a statement would get now, while the queue of the pool is full. */
  refuseIfBusy(): void {
    this.#parts.refuseIfBusy?.();
  }

  onStart(): Promise<void> {
    return this.#parts.open();
  }

  async onStop(): Promise<void> {
    await this.destroy();
    await this.#parts.close();
  }
}
