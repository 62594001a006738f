import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { BoundedMap } from "@tenon/core/platform";
import type { RootOperationNode } from "kysely";
import { largestLog } from "./sqlite-checkpoints.ts";
import { createReaders, isBooleanType, type Reader, toBoolean } from "./sqlite-shape.ts";

export interface SqliteResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number | bigint;
  readonly insertId: number | bigint;
}

const maxStatements = 500;
const noRows: Record<string, unknown>[] = [];

interface Prepared {
  readonly statement: StatementSync;
  /** Empty when the statement returns no rows. */
  columns: readonly string[];
  /** Of the columns with booleans, which SQLite stores as 0 and 1, and with JSON, which it returns as text. */
  readers: readonly (readonly [string, Reader])[];
  readonly changesSchema: boolean;
  readonly mayWrite: boolean;
}

export interface ConnectionEvents {
  readonly onSchemaChange: () => void;
  readonly onWrite: (values: readonly SQLInputValue[]) => void;
}

/** One connection. Prepares each statement once and reads rows as arrays, which is faster than the objects of node:sqlite. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  #statements = new BoundedMap<string, Prepared>(maxStatements);
  readonly #events: ConnectionEvents;

  constructor(path: string, events: ConnectionEvents) {
    this.#events = events;
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
      if (prepared.changesSchema) this.#events.onSchemaChange();
      if (prepared.mayWrite) this.#events.onWrite(values);
      return { rows: noRows, changes, insertId: lastInsertRowid };
    }
    // setReturnArrays() is on, which the type does not know
    const arrays = prepared.statement.all(...values) as unknown as readonly (readonly unknown[])[];
    if (arrays[0] !== undefined && arrays[0].length !== prepared.columns.length) this.#describe(prepared, query);
    if (prepared.mayWrite) this.#events.onWrite(values);
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

  /** Sets the length of the log, in pages, at which this connection copies it into the file. */
  checkpointAt(pages: number): void {
    this.#database.exec(`pragma wal_autocheckpoint = ${pages}`);
  }

  /** Copies the log into the file, without waiting for a lock. */
  checkpoint(): void {
    try {
      this.#database.exec("pragma wal_checkpoint(passive)");
    } catch {
      // a full disk, or rows that are still being read: the log keeps the data, and the next checkpoint tries again
    }
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
      readers: [],
      changesSchema: /^\s*(?:create|alter|drop)\b/i.test(sql),
      mayWrite: !/^\s*(?:select|begin|pragma)\b/i.test(sql),
    };
    this.#describe(prepared, query);
    return prepared;
  }

  #describe(prepared: Prepared, query: RootOperationNode | undefined): void {
    const columns = prepared.statement.columns();
    prepared.columns = columns.map((column) => column.name);
    if (columns.length === 0) return;
    prepared.statement.setReturnArrays(true);
    const booleans = columns.flatMap(({ name, type }) => (isBooleanType(type) ? [[name, toBoolean] as const] : []));
    const typesOf = (sql: string) =>
      this.#database
        .prepare(sql)
        .columns()
        .map(({ type }) => type);
    prepared.readers = [...booleans, ...(query === undefined ? [] : createReaders(query, typesOf))];
  }
}

function toObject(row: readonly unknown[], { columns, readers }: Prepared): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index] as string] = row[index]; // below the length
  for (const [name, read] of readers) object[name] = read(object[name]);
  return object;
}

function toSqliteValue(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value as SQLInputValue; // SQLite itself refuses any other value, with a message for the log
}
