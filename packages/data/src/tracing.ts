import { tracingChannel } from "node:diagnostics_channel";
import { trace } from "@tenon/core/internal";
import type { TracedOutcome, Tracing } from "@tenon/core/platform";

/** What a statement has returned. */
interface Rows {
  readonly rows: readonly unknown[];
  /** SQLite only: the number of changed rows. */
  readonly changes?: number | bigint;
  /** PostgreSQL only: the number of rows that were read or changed. */
  readonly rowCount?: number | null;
}

/** Where statements and commands run. */
export interface StorePlace {
  /** The name of the database: of SQLite that of its file, of Redis a number. */
  readonly namespace: string;
  /** The host; undefined for SQLite. */
  readonly address?: string;
  readonly port?: number;
}

export interface SqlPlace extends StorePlace {
  readonly database: "sqlite" | "postgres";
}

/** The place of a server, from its URL. */
export function toPlace(url: string, defaults: { readonly namespace: string; readonly port: number }): StorePlace {
  const { hostname, port, pathname } = new URL(url);
  return {
    namespace: decodeURIComponent(pathname.slice(1)) || defaults.namespace,
    address: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? defaults.port : Number(port),
  };
}

/** `tenon.sql`: one statement, with the wait for a lock, without the wait for a connection of the pool. */
export class TracedSql implements TracedOutcome {
  readonly place: SqlPlace;
  /** With placeholders. */
  readonly sql: string;
  /** The values of the placeholders. They may be secrets: a subscriber must not send them to another host. */
  readonly parameters: readonly unknown[];
  result?: Rows;
  error?: unknown;
  [state: symbol]: unknown;

  constructor(place: SqlPlace, sql: string, parameters: readonly unknown[]) {
    this.place = place;
    this.sql = sql;
    this.parameters = parameters;
  }

  get database(): SqlPlace["database"] {
    return this.place.database;
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
export interface TracedRedis extends TracedOutcome {
  /** In upper case, without its arguments: `GET`. */
  readonly command: string;
  /** The number of its arguments. */
  readonly keys: number;
  readonly place: StorePlace;
}

export const sqlTracing: Tracing<TracedSql> = tracingChannel("tenon.sql");
export const redisTracing: Tracing<TracedRedis> = tracingChannel("tenon.redis");

/** Runs a statement, and publishes it when there is a subscriber. */
export function traceSql<Result>(
  place: SqlPlace,
  sql: string,
  parameters: readonly unknown[],
  run: () => Result,
): Result {
  if (!sqlTracing.hasSubscribers) return run();
  return trace(sqlTracing, new TracedSql(place, sql, parameters), run);
}
