import { api, defineModule, provide, type Routes, token } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { Database, dataModule, KeyValue, Sweeps, sql } from "@tenon/data";
import { defineJob, Jobs, job, jobsModule } from "@tenon/jobs";
import pg from "pg";
import { AccountTokens } from "../../packages/accounts/src/account-tokens.ts";
import { withAccounts } from "../../packages/accounts/test/support/accounts-app.ts";
import { JobStore } from "../../packages/jobs/src/store/job-store.ts";
import { LookBounds } from "../../packages/jobs/src/store/look-bounds.ts";
import { reach, withJobsApp } from "../../packages/jobs/test/support/jobs-app.ts";
import { rowsRead } from "../../packages/jobs/test/support/rows-read.ts";
import { Figures, type Part, type PartOptions, round } from "../part.ts";
import {
  type Cost,
  countStatements,
  countTurns,
  numbersTo,
  patient,
  rowsReadBefore,
  withEmptied,
} from "../support/growth.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

const Plain = defineJob("growth/plain");
const TestStore = token<JobStore>("TestStore");
const lease = 30_000;
/** What does not matter: milliseconds, and a count of rows or statements. */
const noise = { time: 10, count: 20 };
const old = "2000-01-01T00:00:00.000Z";

/** An operation over a table of `rows` rows. */
interface Operation {
  readonly name: string;
  readonly few: number;
  readonly many: number;
  /** The same in the short form. */
  readonly short: readonly [few: number, many: number];
  measure(rows: number, options: PartOptions, isLarge: boolean): Promise<Cost>;
}

const million = { few: 10_000, many: 1_000_000, short: [2000, 10_000] } as const;
const onPostgres = jobStores.filter(({ name }) => name === "PostgreSQL");
const onSqlite = jobStores.filter(({ name }) => name === "SQLite");

const operations: readonly Operation[] = [
  ...onPostgres.map((store) => ({ name: "keyed enqueue", ...million, measure: keyedEnqueues(store) })),
  ...onSqlite.flatMap((store) => [
    { name: "key-value sweep", ...million, measure: keyValueSweep(store) },
    { name: "job prune", ...million, measure: jobPrune(store) },
  ]),
  ...jobStores.map((store) => ({ name: `start, ${store.name}`, ...million, measure: startWithStrays(store) })),
  ...jobStores.map((store) => ({ name: `token, ${store.name}`, ...million, measure: tokenCreation(store) })),
  ...onPostgres.map((store) => ({
    name: "look",
    few: 2000,
    many: 40_000,
    short: [2000, 8000] as const,
    measure: lookBesideSnapshot(store),
  })),
];

export const part: Part = {
  id: "GR1",
  title: "keyed enqueues, sweeps, moved queues, account tokens and claims over 10,000 and over 1,000,000 rows",
  bar: "an operation reads and deletes at most twice as many rows, and holds the event loop at most 3 × as long",
  needs: ["postgres"],
  alone: true, // it measures times
  async run(options) {
    const figures = new Figures();
    const table: (string | number)[][] = [];
    for (const { name, few, many, short, measure } of operations) {
      const [small, large] = options.short ? short : [few, many];
      options.say(`${name}: ${small} rows`);
      const before = await measure(small, options, false);
      options.say(`${name}: ${large} rows`);
      const after = await measure(large, options, true);
      for (const [what, count] of Object.entries(after.counts)) {
        const first = before.counts[what] ?? 0;
        figures.atMost(`${name}: ${what}, times`, count / (first + noise.count), 2);
        table.push([name, what, small, round(first), large, round(count)]);
      }
      for (const [what, time] of Object.entries(after.times)) {
        const first = before.times[what] ?? 0;
        figures.inTime(`${name}: ${what}, times`, time / Math.max(first, noise.time), 3);
        table.push([name, what, small, round(first), large, round(time)]);
      }
    }
    return figures.table({ columns: ["operation", "cost", "rows", "cost", "rows", "cost"], rows: table }).done();
  },
};

/** Chunks of 1,000 new keys, beside few rows 2, after finished jobs were analysed: the statistics know of no held key. */
function keyedEnqueues(store: JobStoreCase) {
  return (rows: number, { short }: PartOptions, isLarge: boolean): Promise<Cost> =>
    withStore(store, async ({ app, db }) => {
      await fill(db, rows, { state: "done", name: Plain.name, key: "'old ' || i" });
      await sql`alter table tenon_jobs set (autovacuum_enabled = false)`.execute(db);
      await sql`analyze tenon_jobs`.execute(db);
      const chunks = !isLarge ? 2 : short ? 10 : 50;
      const inputs = Array.from({ length: 1000 }, () => ({}));
      const [read, times]: [number[], number[]] = [[], []];
      for (let chunk = 0; chunk <= chunks; chunk++) {
        const first = 1000 * (chunk % chunks); // those of the last chunk are held
        const before = await rowsRead(db);
        const start = performance.now();
        await app.get(Jobs).enqueueMany(Plain, inputs, { key: (_, index) => first + index });
        times.push(performance.now() - start);
        read.push((await rowsRead(db)) - before);
      }
      return { counts: { "rows read, of 1,000 keys": Math.max(...read) }, times: { "longest ms": Math.max(...times) } };
    });
}

function keyValueSweep(store: JobStoreCase) {
  return (rows: number): Promise<Cost> =>
    withStore(store, async ({ app, db }) => {
      await sql`insert into tenon_key_value (key, value, expires_at) select 'key ' || i, '1', 1
        from ${numbersTo(db, rows)}`.execute(db);
      return perTurn(rows, await countTurns(() => app.get(KeyValue).sweep()));
    });
}

function jobPrune(store: JobStoreCase) {
  return (rows: number): Promise<Cost> =>
    withStore(store, async ({ app, db }) => {
      await fill(db, rows, { state: "done", name: Plain.name });
      await sql`update tenon_jobs set expires_at = 1`.execute(db);
      return perTurn(rows, await countTurns(() => app.get(Jobs).prune()));
    });
}

function perTurn(rows: number, { turns, longest }: { readonly turns: number; readonly longest: number }): Cost {
  return { counts: { "rows of a turn": rows / turns }, times: { "longest turn ms": longest } };
}

/** A process with 50 handlers, beside few rows with one, starts and runs a job. No process works on the queue of the others. */
function startWithStrays(store: JobStoreCase) {
  const names = Array.from({ length: 50 }, (_, index) => `growth/handler${index}`);
  class OneJob {
    routes(): Routes {
      return names.slice(0, 1).map((name) => job(defineJob(name), () => {}));
    }
  }
  class ManyJobs {
    routes(): Routes {
      return names.map((name) => job(defineJob(name), () => {}));
    }
  }
  return (rows: number, _options: PartOptions, isLarge: boolean): Promise<Cost> =>
    withEmptied(store, async (url) => {
      const options = { declarations: [isLarge ? ManyJobs : OneJob], postgres: patient };
      const id = await withJobsApp(url, options, async (app) => {
        await fill(app.get(Database), rows, { state: "queued", name: "growth/foreign", queue: "former" });
        return (await app.get(Jobs).enqueue(defineJob("growth/handler0"), {})).id;
      });
      const isPostgres = store.name === "PostgreSQL";
      const before = isPostgres ? await rowsReadBefore(url) : 0;
      const run = () => withJobsApp(url, options, (app) => reach(app, id, "done"), { background: true });
      let longest = 0;
      const moves = await countStatements(/set queue =/, async () => {
        longest = (await countTurns(run)).longest;
      });
      const read = isPostgres ? { "rows read": (await rowsReadBefore(url)) - before } : {};
      return { counts: { "statements that move": moves, ...read }, times: { "longest turn ms": longest } };
    });
}

/** A request for a token while many have expired, and on SQLite the sweep of these. */
function tokenCreation(store: JobStoreCase) {
  return (rows: number): Promise<Cost> =>
    withEmptied(store, async (url) => {
      let cost: Cost | undefined;
      await withAccounts({ database: url, postgres: patient }, async ({ app, addUser }) => {
        const user = await addUser("ada");
        const db = app.get(Database);
        await sql`insert into account_tokens (hash, purpose, user_id, bound, expires_at)
          select 'hash ' || i, 'reset', 'user ' || i, '', ${sql.lit(old)} from ${numbersTo(db, rows)}`.execute(db);
        if (db.kind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
        const start = performance.now();
        await app.get(AccountTokens).create("reset", user);
        const time = performance.now() - start;
        const left = await sql<{ count: number }>`select count(*) as count from account_tokens`.execute(db);
        const deleted = rows + 1 - Number(left.rows[0]?.count);
        const swept =
          store.name === "SQLite" ? perTurn(rows, await countTurns(() => app.get(Sweeps).run())) : undefined;
        cost = {
          counts: { "rows deleted": deleted, ...swept?.counts },
          times: { ms: time, ...swept?.times },
        };
      });
      return cost as unknown as Cost; // the body has set it
    });
}

/** A look for jobs and a claim of one, after many have run since another session opened its snapshot. */
function lookBesideSnapshot(store: JobStoreCase) {
  return (rows: number): Promise<Cost> =>
    withStore(store, async ({ url, app, db }) => {
      const snapshot = new pg.Client(url);
      await snapshot.connect();
      try {
        await snapshot.query("begin isolation level repeatable read");
        await snapshot.query("select count(*) from tenon_jobs");
        await fill(db, rows + 50, { state: "queued", name: Plain.name });
        const jobs = app.get(TestStore);
        const bounds = new LookBounds(lease);
        const claim = async (limit: number) => {
          await jobs.peek(["default"], bounds);
          const claimed = await jobs.claim("default", limit, "worker", lease, bounds);
          const ends = { state: "done", result: null, error: null, delay: 0, keep: 60_000, refund: false } as const;
          await jobs.finish(claimed.map(({ id, claim: held }) => ({ id, claim: held, ...ends })));
        };
        for (let claimed = 0; claimed < rows; claimed += 500) await claim(500);
        const [read, times]: [number[], number[]] = [[], []];
        for (let turn = 0; turn < 49; turn++) {
          const before = await rowsRead(db);
          const start = performance.now();
          await claim(1);
          times.push(performance.now() - start);
          read.push((await rowsRead(db)) - before);
        }
        return { counts: { "rows read": middle(read) }, times: { ms: middle(times) } }; // a few looks begin at the start
      } finally {
        await snapshot.end();
      }
    });
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

interface Parts {
  readonly url: string;
  readonly app: TestHttpApp;
  readonly db: Database;
}

/** An application that runs no jobs, with one connection: each connection counts what it reads by itself. */
function withStore(store: JobStoreCase, body: (parts: Parts) => Promise<Cost>): Promise<Cost> {
  return withEmptied(store, async (url) => {
    const data = dataModule({ database: url, postgres: { ...patient, poolSize: 1 } });
    const declarations = [provide(TestStore, () => new JobStore())];
    const app = await createTestApp(
      defineModule({ name: "app", imports: [data, jobsModule(data)], declarations }),
      api(),
    );
    try {
      return await body({ url, app, db: app.get(Database) });
    } finally {
      await app.stop();
    }
  });
}

interface Filled {
  readonly state: string;
  readonly name: string;
  readonly queue?: string;
  /** SQL. Defaults to no key. */
  readonly key?: string;
}

async function fill(
  db: Database,
  rows: number,
  { state, name, queue = "default", key = "null" }: Filled,
): Promise<void> {
  await sql`insert into tenon_jobs (name, queue, state, priority, max_attempts, key, input, run_at, created_at)
    select ${sql.lit(name)}, ${sql.lit(queue)}, ${sql.lit(state)}, 0, 5, ${sql.raw(key)}, '{}', i, i
    from ${numbersTo(db, rows)}`.execute(db);
}
