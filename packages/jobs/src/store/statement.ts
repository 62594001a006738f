import { PreparedQuery } from "@tenon/data";
import { CompiledQuery, type QueryResult } from "kysely";

/** What runs statements: a database, or a transaction of one. */
export interface Executor {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

export type Value = string | number | null;
export type Values = Readonly<Record<string, Value>>;

export interface Dialect {
  readonly kind: "sqlite" | "postgres";
  /** Milliseconds since 1970 as an SQL expression; undefined where `:now` is a parameter. */
  readonly now: string | undefined;
}

/** An SQL text with named parameters, compiled once. `:name` becomes `?` on SQLite and `$1`, `$2`, … on PostgreSQL. */
export class Statement<Row = unknown> {
  readonly #text: string;
  readonly #names: readonly string[];
  readonly #preparedAs: string | undefined;

  /** `preparedAs` is the name of a prepared statement. */
  constructor(text: string, dialect: Dialect, preparedAs?: string) {
    this.#preparedAs = preparedAs;
    const names: string[] = [];
    this.#text = text.replaceAll(/:([a-z_]+)/g, (_, name: string) => {
      if (name === "now" && dialect.now !== undefined) return dialect.now;
      names.push(name);
      const place = dialect.kind === "sqlite" ? "?" : `$${names.length}`;
      return name === "now" ? `cast(${place} as bigint)` : place;
    });
    this.#names = names;
  }

  async all(executor: Executor, values: Values): Promise<Row[]> {
    return (await executor.executeQuery<Row>(this.#compile(values))).rows;
  }

  async first(executor: Executor, values: Values): Promise<Row | undefined> {
    return (await this.all(executor, values))[0];
  }

  /** How many rows it changed. */
  async run(executor: Executor, values: Values): Promise<number> {
    const { numAffectedRows = 0n } = await executor.executeQuery(this.#compile(values));
    return Number(numAffectedRows);
  }

  #compile(values: Values): CompiledQuery<Row> {
    const parameters = this.#names.map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`the statement has no value for :${name}`);
      return value;
    });
    if (this.#preparedAs !== undefined) return new PreparedQuery(this.#preparedAs, this.#text, parameters);
    return CompiledQuery.raw(this.#text, parameters) as CompiledQuery<Row>; // the caller names the type of a row
  }
}
