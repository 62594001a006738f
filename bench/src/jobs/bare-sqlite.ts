import { DatabaseSync } from "node:sqlite";
import type { EngineInfo, JobEngine } from "./engine.ts";
import { tenonSqlite } from "./tenon.ts";

interface ClaimedRow {
  readonly id: number;
  readonly claim: number;
  readonly input: string;
}

/** Tenon's table and indexes, the durability of @tenon/data, and three statements: insert, claim, complete. */
export const bareSqlite: EngineInfo = {
  ...tenonSqlite,
  name: "bare-sqlite",
  label: "bare statements on SQLite",
  afterCrash: "lost",
  open: async (url) => createEngine(new DatabaseSync(url.replace(/^sqlite:/, ""))),
};

function createEngine(database: DatabaseSync): JobEngine {
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000");
  const insert =
    database.prepare(`insert into tenon_jobs (name, queue, state, priority, max_attempts, input, run_at, created_at)
    values ('bench/job', 'default', 'queued', 0, 10, ?, ?, ?)`);
  const claim = database.prepare(`update tenon_jobs set state = 'running', attempt = attempt + 1, claim = claim + 1,
      worker = 'bare', lease_until = ?, started_at = ?
    where id = (select id from tenon_jobs where state = 'queued' and queue = 'default' order by priority desc, run_at, id limit 1)
    returning id, claim, input`);
  const complete =
    database.prepare(`update tenon_jobs set state = 'done', worker = null, lease_until = null, finished_at = ?,
    expires_at = ? where id = ? and claim = ? and state = 'running'`);
  const claimNext = () => claim.get(Date.now() + 30_000, Date.now()) as ClaimedRow | undefined; // the columns above
  return {
    async enqueue(jobs) {
      for (const job of jobs) insert.run(JSON.stringify(job), Date.now(), Date.now());
    },
    async work({ run }) {
      for (let row = claimNext(); row !== undefined; row = claimNext()) {
        await run(JSON.parse(row.input), undefined);
        complete.run(Date.now(), Date.now() + 86_400_000, row.id, row.claim);
      }
    },
    stop: async () => database.close(),
  };
}
