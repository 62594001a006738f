import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnyDatabase, TracedSql } from "@tenon/data";
import { sql } from "@tenon/data";
import pg from "pg";
import { withPostgres } from "../../packages/data/test/support/services.ts";
import type { JobStoreCase } from "./job-stores.ts";

/** What an operation costs, by the name of a count. Those of `times` are milliseconds. */
export interface Cost {
  readonly counts: Readonly<Record<string, number>>;
  readonly times: Readonly<Record<string, number>>;
}

/** A statement of minutes is no defect of what fills a table. */
export const patient = { statementTimeout: 600_000 };

/** A table function with the column `i`: 1 to `count`. */
export function numbersTo(db: AnyDatabase & { readonly kind: string }, count: number) {
  const numbers =
    db.kind === "sqlite"
      ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`
      : `generate_series(1, ${count}) as n(i)`;
  return sql.raw(numbers);
}

/** Like `store.with()`. A million rows do not stay on the server until the next test. */
export function withEmptied<T>(store: JobStoreCase, body: (url: string) => Promise<T>): Promise<T> {
  if (store.name === "SQLite") return store.with(body);
  return withPostgres(async (url) => {
    try {
      return await body(url);
    } finally {
      await inSession(url, "drop schema public cascade; create schema public");
    }
  });
}

export async function inSession<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Rows and index entries of the jobs' table that all sessions have read which have ended by now. */
export async function rowsReadBefore(url: string): Promise<number> {
  const busy = "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  while ((await inSession(url, `${busy} and backend_type = 'client backend'`)).length > 0);
  const [read] = await inSession<{ count: string }>(
    url,
    `select coalesce((select seq_tup_read from pg_stat_user_tables where relname = 'tenon_jobs'), 0)
      + coalesce((select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'tenon_jobs'), 0) as count`,
  );
  return Number(read?.count);
}

/** How often the event loop turns while the body runs, and the longest of these turns in milliseconds of processor time. */
export async function countTurns(body: () => Promise<unknown>): Promise<{ turns: number; longest: number }> {
  await nextTurn();
  let turns = 0;
  let longest = 0;
  let last = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    turns++;
    longest = Math.max(longest, (user + system) / 1000);
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await body();
  await nextTurn();
  clearImmediate(next);
  return { turns, longest };
}

/** The statements that match the pattern while the body runs. */
export async function countStatements(pattern: RegExp, body: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const note = (message: unknown) => {
    if (pattern.test((message as TracedSql).sql)) count++; // what the channel carries
  };
  subscribe("tracing:tenon.sql:start", note);
  try {
    await body();
  } finally {
    unsubscribe("tracing:tenon.sql:start", note);
  }
  return count;
}
