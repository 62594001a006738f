import { tracingChannel } from "node:diagnostics_channel";
import { type Signal, type SignalOutcome, trace } from "@tenon/core/platform";

/** What a statement has returned. */
interface Rows {
  readonly rows: readonly unknown[];
  /** Of SQLite: rows that were changed. */
  readonly changes?: number | bigint;
  /** Of PostgreSQL: rows that were read or changed. */
  readonly rowCount?: number | null;
}

/** `tenon.sql`: one statement, with the wait for a lock, without the wait for a connection of the pool. */
export class SqlSignal implements SignalOutcome {
  readonly database: "sqlite" | "postgres";
  /** With placeholders. */
  readonly sql: string;
  /** The values of the placeholders. They may be secrets: a subscriber must not send them to another host. */
  readonly parameters: readonly unknown[];
  result?: Rows;
  error?: unknown;
  [state: symbol]: unknown;

  constructor(database: SqlSignal["database"], sql: string, parameters: readonly unknown[]) {
    this.database = database;
    this.sql = sql;
    this.parameters = parameters;
  }

  /** The number of rows that were read, or changed by a statement that returns none. Undefined until the end. */
  get rows(): number | undefined {
    if (this.result === undefined) return undefined;
    const { rows, changes, rowCount } = this.result;
    if (rows.length > 0) return rows.length;
    // after any other statement SQLite still has the count of the last change
    return rowCount ?? (/^\s*(?:insert|update|delete|replace|with)\b/i.test(this.sql) ? Number(changes ?? 0) : 0);
  }
}

/** `tenon.redis`: one command. */
export interface RedisSignal extends SignalOutcome {
  /** In upper case, without its arguments: `GET`. */
  readonly command: string;
  /** The number of its arguments. */
  readonly keys: number;
}

export const sqlSignal: Signal<SqlSignal> = tracingChannel("tenon.sql");
export const redisSignal: Signal<RedisSignal> = tracingChannel("tenon.redis");

/** Runs a statement, and publishes it when there is a subscriber. */
export function traceSql<Result>(
  database: SqlSignal["database"],
  sql: string,
  parameters: readonly unknown[],
  run: () => Result,
): Result {
  if (!sqlSignal.hasSubscribers) return run();
  return trace(sqlSignal, new SqlSignal(database, sql, parameters), run);
}
