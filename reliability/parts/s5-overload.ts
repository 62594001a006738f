import pg from "pg";
import { runFile, type ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { keepFromLoad } from "../../bench/src/cores.ts";
import { keepPostgresFromLoad, loadApart } from "../../bench/src/load-apart.ts";
import { lateOutcome, refusedOutcome, unsentOutcome } from "../../bench/src/open-load.ts";
import { withPostgres } from "../../packages/data/test/support/services.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { Caller } from "../support/caller.ts";
import { becomesTrue } from "../support/job-process.ts";
import { jwtSecret, withService } from "../support/service.ts";
import { SteadyLoad } from "../support/steady-load.ts";

const path = "/posts?limit=50";
const multiple = 4;
/** Requests to `/health/ready` in a second. */
const probes = 5;

export const part: Part = {
  id: "S5",
  title: `lists on PostgreSQL requested at ${multiple} × the capacity, whether or not responses arrive`,
  bar: "goodput ≥ 0.8 of that at 1 ×, p99 of 2xx ≤ 1 s; others 503 + Retry-After, one log line a second; ready throughout; the next request is 200",
  needs: ["postgres"],
  alone: true, // a busy machine has another capacity a second later
  run: (options) =>
    withPostgres(async (patient) => {
      const url = patient.replace("connect_timeout=60", ""); // callers wait for parts of it
      const env = { DATABASE_URL: url, JWT_SECRET: jwtSecret, BCRYPT_COST: "10" };
      const { code, stderr } = await runFile("src/main.cli.ts", env, { args: ["db", "seed", "--posts=200"] });
      if (code !== 0) throw new Error(stderr);
      return withService({ env, probed: false }, (server) => overload(server, url, options));
    }),
};

async function overload(server: ServerProcess, url: string, { short, say }: PartOptions) {
  const shared = { port: Number(new URL(server.url).port), path };
  const form = short ? { connections: 300, settle: 0, seconds: 2 } : { connections: 2000, settle: 2, seconds: 8 };
  const load = (rate: number) => loadApart({ ...shared, ...form, rate });
  const loadByClients = () => loadApart({ ...shared, ...form });
  const refusals = () => server.lines.filter((line) => line.includes("requests were refused"));
  const logged = () => refusals().reduce((sum, line) => sum + Number(/refused\W+(\d+)/.exec(line)?.[1]), 0);
  const caller = new Caller(server.url);

  say("finding the capacity");
  if (!short) {
    await loadByClients(); // V8 optimizes
    await keepPostgresFromLoad(url);
    keepFromLoad([server.pid]);
  }
  const { good: capacity } = await loadByClients();
  const begun = performance.now();
  const before = short ? undefined : await load(capacity);
  const readiness = new SteadyLoad(probes, () => caller.call("GET", "/health/ready"));
  const rate = Math.max(multiple * capacity, 50);
  say(`${Math.round(rate)} requests a second`);
  // in the short form other programs may have had the machine while the capacity was found
  const hasRefused = () => becomesTrue(() => refusals().length > 0, 30_000);
  const [{ good, p99, outcomes }] = await Promise.all([load(rate), short ? withoutPosts(url, hasRefused) : undefined]);
  const next = await caller.call("GET", path);
  const ready = await readiness.stop();
  caller.close();

  const {
    200: _,
    [refusedOutcome]: refused = 0,
    [lateOutcome]: late = 0,
    [unsentOutcome]: unsent = 0,
    ...others
  } = outcomes;
  const count = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, n) => sum + n, 0);
  await becomesTrue(() => logged() >= refused, 5000);
  const unexpected = server.lines.filter((line) => !line.includes("requests were refused"));
  const elapsed = (performance.now() - begun) / 1000;
  const figures = new Figures()
    .show("capacity a second", Math.round(capacity))
    .show("requests", count(outcomes))
    .show("refused with 503 and Retry-After", refused)
    .atLeast("refusals in the log", logged(), Math.max(1, refused))
    .exactly(`other failures (${Object.keys(others).join() || "none"})`, count(others), 0)
    .inTime("without a response in 5 s", late, 0)
    .inTime("without a free connection", unsent, 0)
    .atLeast("probes", ready.length, 1)
    .exactly("probes not ready", ready.filter(({ status }) => status !== 200).length, 0)
    .exactly("status of the next request", next.status, 200)
    .atMost("log lines", server.lines.length, Math.ceil(elapsed))
    .exactly("other log lines", unexpected.length, 0);
  for (const line of unexpected) figures.note(line);
  if (before !== undefined) {
    figures.inTime("p99 ms of 2xx", p99, 1000).inTime("goodput at 1 × to that at 4 ×", before.good / good, 1 / 0.8);
  }
  return figures.done();
}

/** Locks the table of posts until `body` has ended. */
async function withoutPosts(url: string, body: () => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("begin; lock table posts in access exclusive mode");
    await body();
  } finally {
    await client.end();
  }
}
