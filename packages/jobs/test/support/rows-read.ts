import { type AnyDatabase, sql } from "@tenon/data";

/** Rows and index entries of `tenon_jobs` that PostgreSQL has read so far. The pool has one connection: each has its own count. */
export async function rowsRead(db: AnyDatabase): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ count: number }>`select
    (select seq_tup_read from pg_stat_user_tables where relname = 'tenon_jobs')
      + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'tenon_jobs') as count`.execute(db);
  return Number(rows[0]?.count);
}
