import pg from "pg";
import type { EngineInfo, JobEngine } from "./engine.ts";
import { tenonPostgres } from "./tenon.ts";

const now = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";
const insert = `insert into tenon_jobs (name, queue, state, priority, max_attempts, input, run_at, created_at)
  values ('bench/job', 'default', 'queued', 0, 10, $1, ${now}, ${now})`;
const claim = `with next as materialized (select id from tenon_jobs where state = 'queued' and queue = 'default'
    order by priority desc, run_at, id limit 1 for update skip locked)
  update tenon_jobs set state = 'running', attempt = attempt + 1, claim = claim + 1, worker = 'bare',
    lease_until = ${now} + 30000, started_at = ${now}
  from next where tenon_jobs.id = next.id returning tenon_jobs.id, claim, input`;
const complete = `update tenon_jobs set state = 'done', worker = null, lease_until = null, finished_at = ${now},
  expires_at = ${now} + 86400000 where id = $1 and claim = $2 and state = 'running'`;

/** Tenon's table and indexes, prepared statements, a connection for each job at a time. */
export const barePostgres: EngineInfo = {
  ...tenonPostgres,
  name: "bare-postgres",
  label: "bare statements on PostgreSQL",
  afterCrash: "lost",
  open: async (url) => createEngine(new pg.Pool({ connectionString: url, max: 10 })),
};

function createEngine(pool: pg.Pool): JobEngine {
  pool.on("error", () => {});
  const take = async () => (await pool.query({ name: "claim", text: claim })).rows[0];
  return {
    async enqueue(jobs) {
      for (const job of jobs) await pool.query({ name: "insert", text: insert, values: [JSON.stringify(job)] });
    },
    async work({ concurrency, run }) {
      const lane = async () => {
        for (let row = await take(); row !== undefined; row = await take()) {
          await run(JSON.parse(row.input), undefined);
          await pool.query({ name: "complete", text: complete, values: [row.id, row.claim] });
        }
      };
      await Promise.all(Array.from({ length: concurrency }, lane));
    },
    stop: () => pool.end(),
  };
}
