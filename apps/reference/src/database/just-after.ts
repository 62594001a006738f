import type { Database } from "@tenon/data";
import { type RawBuilder, sql } from "kysely";

/** One millisecond after the time in a text column, in the form in which we write times. */
export function justAfter(kind: Database["kind"], column: string): RawBuilder<string> {
  const time = sql.ref(column);
  return kind === "sqlite"
    ? sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${time}, '+0.001 seconds')`
    : sql<string>`to_char((${time}::timestamptz + interval '1 millisecond') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
