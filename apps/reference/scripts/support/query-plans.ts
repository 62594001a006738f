import type { Database } from "@tenon/data";
import { CompiledQuery } from "kysely";

/** The select statements that run while `work` does. */
export async function recordQueries(db: Database, work: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const seen: CompiledQuery[] = [];
  const executor = db.getExecutor();
  const execute = executor.executeQuery;
  executor.executeQuery = function (query, ...rest) {
    if (/^select\b/i.test(query.sql)) seen.push(query);
    return execute.call(this, query, ...rest) as ReturnType<typeof execute<never>>; // passed on unchanged
  };
  try {
    await work();
  } finally {
    executor.executeQuery = execute;
  }
  return seen;
}

/** The query plan of the database, by lines. */
export async function explain(db: Database, query: CompiledQuery): Promise<string[]> {
  const prefix = db.kind === "sqlite" ? "explain query plan" : "explain";
  const { rows } = await db.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${prefix} ${query.sql}`, [...query.parameters]),
  );
  return rows.map((row) => String(row.detail ?? row["QUERY PLAN"]));
}
