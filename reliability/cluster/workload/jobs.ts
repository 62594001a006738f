import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Client } from "./client.ts";
import { type PartLoad, pickUrl, repeat, type Setting } from "./setting.ts";

/** Milliseconds between ticks of the schedule of fixtures/cluster-service.ts. */
const period = 1000;
/** Milliseconds until all jobs have run: that of a killed process starts again when its lease of 30 s is over. */
const patience = 90_000;

/** CL4: rows are committed or rolled back together with their jobs, and a schedule ticks. */
export function startJobs(setting: Setting): PartLoad {
  const client = new Client("jobs", setting.history);
  const enqueue = repeat(setting, 350, async (turn) => {
    const item = crypto.randomUUID();
    const url = pickUrl(setting);
    const path = "/cluster/items";
    if (turn % 4 === 3) {
      const asked = { method: "POST", path, json: { item, roll_back: true } };
      // a conflict says that the transaction was rolled back; it must never be a success
      const outcomeOf = ({ status }: { readonly status: number }) => (status === 409 ? "ok" : "unknown");
      await client.run("roll back", { item }, url, asked, { outcomeOf });
    } else {
      const valuesOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => ({ job: Number(body.job) });
      await client.run("enqueue", { item }, url, { method: "POST", path, json: { item } }, { valuesOf });
    }
  });
  return {
    ended: Promise.all([enqueue, repeat(setting, 2000, () => readSchedule(setting).catch(() => {}))]),
    verify: () => readJobs(setting),
  };
}

async function readSchedule({ databaseUrl, history }: Setting): Promise<void> {
  const [row] = await query(
    databaseUrl,
    `select last_tick as last, (select count(*) from tenon_jobs where name = 'cluster/tick') as jobs
      from tenon_job_schedules where name = 'cluster/tick'`,
  );
  if (row !== undefined) history.note("schedule", "jobs", { last: Number(row.last), jobs: Number(row.jobs), period });
}

async function readJobs(setting: Setting): Promise<void> {
  const { databaseUrl, history } = setting;
  await readSchedule(setting);
  const jobs = await query(databaseUrl, "select id, name from tenon_jobs where name like 'cluster/%'");
  const items = await query(databaseUrl, "select item, job from cluster_items");
  const last = Math.max(0, ...jobs.map(({ id }) => Number(id)));
  const waiting = `select count(*) as count from tenon_jobs j
    where name like 'cluster/%' and id <= ${last} and not exists (select from cluster_runs r where r.job = j.id)`;
  const deadline = Date.now() + patience;
  while (Date.now() < deadline && Number((await query(databaseUrl, waiting))[0]?.count) > 0) await sleep(500);
  const runs = await query(databaseUrl, `select job, item from cluster_runs where job <= ${last}`);
  for (const { id, name } of jobs) history.note("job", "reader", { job: Number(id), name: String(name) });
  for (const { item, job } of items) history.note("item", "reader", { item: String(item), job: Number(job) });
  for (const { job, item } of runs) history.note("run", "reader", { job: Number(job), item: String(item) });
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 10_000 });
  client.on("error", () => {}); // of a connection that is cut while it is idle
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
