import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { BoundedMap } from "@tenon/core/internal";
import type { RootOperationNode } from "kysely";
import { findConditions } from "./sqlite-conditions.ts";

export interface SqliteResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number | bigint;
  readonly insertId: number | bigint;
}

const maxStatements = 500;
/** Bytes to which the log file is truncated when the log restarts. A commit that extends the file takes longer. */
const largestLog = 4000 * 4096;
/** The declared type of a column with JSON. "text" in it keeps SQLite from making numbers of texts. */
export const jsonType = "json text";
const noRows: Record<string, unknown>[] = [];

interface Prepared {
  readonly statement: StatementSync;
  /** Empty when the statement returns no rows. */
  columns: readonly string[];
  /** The columns with booleans, which SQLite stores as 0 and 1. */
  booleans: readonly string[];
  /** The columns with JSON. */
  jsons: readonly string[];
  readonly changesSchema: boolean;
}

/** One connection. Prepares each statement once and reads rows as arrays, which is faster than the objects of node:sqlite. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  #statements = new BoundedMap<string, Prepared>(maxStatements);
  readonly #onSchemaChange: () => void;

  constructor(path: string, onSchemaChange: () => void) {
    this.#onSchemaChange = onSchemaChange;
    // timeout 0: waiting inside SQLite would block the event loop, so SqliteFile retries a locked file
    this.#database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    this.#database.exec(
      `pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = ${largestLog};`,
    );
  }

  /** `query` is what the statement was compiled from, where a query builder made it. */
  execute(sql: string, parameters: readonly unknown[], query?: RootOperationNode): SqliteResult {
    const prepared = this.#statements.get(sql) ?? this.#prepare(sql, query);
    const values = parameters.map(toSqliteValue);
    if (prepared.columns.length === 0) {
      const { changes, lastInsertRowid } = prepared.statement.run(...values);
      if (prepared.changesSchema) this.#onSchemaChange();
      return { rows: noRows, changes, insertId: lastInsertRowid };
    }
    // setReturnArrays() is on, which the type does not know
    const arrays = prepared.statement.all(...values) as unknown as readonly (readonly unknown[])[];
    if (arrays[0] !== undefined && arrays[0].length !== prepared.columns.length) this.#describe(prepared, query);
    return { rows: arrays.map((row) => toObject(row, prepared)), changes: arrays.length, insertId: 0 };
  }

  *iterate(sql: string, parameters: readonly unknown[], query?: RootOperationNode): Generator<Record<string, unknown>> {
    const prepared = this.#create(sql, query);
    const rows = prepared.statement.iterate(...parameters.map(toSqliteValue)) as unknown as Iterable<
      readonly unknown[]
    >; // as above
    for (const row of rows) yield toObject(row, prepared);
  }

  /** Drops the cached statements, which would keep the columns of the old schema. */
  forget(): void {
    this.#statements = new BoundedMap(maxStatements);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string, query: RootOperationNode | undefined): Prepared {
    const prepared = this.#create(sql, query);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #create(sql: string, query: RootOperationNode | undefined): Prepared {
    const prepared: Prepared = {
      statement: this.#database.prepare(sql),
      columns: [],
      booleans: [],
      jsons: [],
      changesSchema: /^\s*(?:create|alter|drop)\b/i.test(sql),
    };
    this.#describe(prepared, query);
    return prepared;
  }

  #describe(prepared: Prepared, query: RootOperationNode | undefined): void {
    const columns = prepared.statement.columns();
    prepared.columns = columns.map((column) => column.name);
    if (columns.length === 0) return;
    prepared.statement.setReturnArrays(true);
    const declared = (wanted: string) =>
      columns.filter(({ type }) => type?.toLowerCase() === wanted).map(({ name }) => name);
    prepared.booleans = [...declared("boolean"), ...(query === undefined ? [] : findConditions(query))];
    prepared.jsons = declared(jsonType);
  }
}

function toObject(row: readonly unknown[], { columns, booleans, jsons }: Prepared): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index] as string] = row[index]; // below the length
  for (const name of booleans) if (typeof object[name] === "number") object[name] = object[name] !== 0;
  for (const name of jsons) if (typeof object[name] === "string") object[name] = JSON.parse(object[name]);
  return object;
}

function toSqliteValue(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value as SQLInputValue; // SQLite itself refuses any other value, with a message for the log
}
