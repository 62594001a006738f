import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { runFile, type ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { type Fault, type FaultProxy, startProxy } from "../../packages/data/test/support/fault-proxy.ts";
import { OwnPostgres } from "../../packages/data/test/support/own-postgres.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { Figures, type Part } from "../part.ts";
import { Caller } from "../support/caller.ts";
import { accepts, jwtSecret, startService } from "../support/service.ts";
import { type Sample, SteadyLoad } from "../support/steady-load.ts";

const rate = 50;
const poolSize = 10;
/** Connections outside the pool: the one that LISTENs for jobs and events, and those of the job engine. */
const reserved = 1 + 3;

export const part: Part = {
  id: "D6",
  title: "PostgreSQL absent at the start, stopped during the run, and on a faulty network",
  bar: "start: exit ≠ 0 in ≤ 10 s with one line, port never open; during: every request has a response ≤ 2 s, recovery ≤ 2 s, no pool slot lost, the process lives",
  needs: ["own postgres"],
  async run({ short, say }) {
    const figures = new Figures();
    const postgres = await OwnPostgres.make();
    try {
      const { proxy, url } = await startProxy(postgres.url, 5432);
      await startWithout(figures, proxy, url);
      const server = await startService({ env: { DATABASE_URL: url } });
      try {
        const outages = new Outages(server, figures);
        const length = (full: number) => (short ? 1500 : full);
        say("PostgreSQL is stopped");
        await outages.during("stopped", length(10_000), {
          begin: () => postgres.stop(),
          end: () => postgres.start(),
        });
        for (const fault of ["silent", "reset", "slow"] as const) {
          say(`the network is ${fault}`);
          await outages.during(fault, length(5000), throughProxy(proxy, fault));
        }
        await countSlots(figures, server, postgres.url);
        return figures.exactly("service alive", server.alive ? 1 : 0, 1).done();
      } finally {
        await server.kill();
        await proxy.stop();
      }
    } finally {
      await postgres.remove();
    }
  },
};

interface Outage {
  begin(): Promise<void>;
  end(): Promise<void>;
}

function throughProxy(proxy: FaultProxy, fault: Fault): Outage {
  return { begin: () => proxy.become(fault), end: () => proxy.become("none") };
}

async function startWithout(figures: Figures, proxy: FaultProxy, url: string): Promise<void> {
  for (const fault of ["refused", "silent"] as const) {
    await proxy.become(fault);
    const port = await freePort();
    let opened = false;
    let running = true;
    const watch = (async () => {
      while (running) {
        opened ||= await accepts(port);
        await sleep(20);
      }
    })();
    const started = performance.now();
    const { code, stderr } = await runFile("src/main.api.ts", {
      DATABASE_URL: url,
      JWT_SECRET: jwtSecret,
      PORT: String(port),
    });
    const seconds = (performance.now() - started) / 1000;
    running = false;
    await watch;
    figures
      .exactly(`start, ${fault}: exit code`, code ?? -1, 1)
      .inTime(`start, ${fault}: s`, seconds, 10)
      .exactly(`start, ${fault}: lines`, stderr.trim().split("\n").length, 1)
      .holds(`start, ${fault}: the reason is named`, /PostgreSQL at .* does not respond/.test(stderr))
      .exactly(`start, ${fault}: port open`, opened ? 1 : 0, 0);
  }
  await proxy.become("none");
}

class Outages {
  readonly #server: ServerProcess;
  readonly #figures: Figures;

  constructor(server: ServerProcess, figures: Figures) {
    this.#server = server;
    this.#figures = figures;
  }

  async during(name: string, milliseconds: number, outage: Outage): Promise<void> {
    const caller = new Caller(this.#server.url);
    const load = new SteadyLoad(rate, () => caller.call("GET", "/posts", { timeout: 10_000 }));
    await sleep(300);
    await outage.begin();
    const began = performance.now();
    await sleep(milliseconds);
    await outage.end();
    const ended = performance.now();
    await load.isSteady();
    const samples = await load.stop();
    caller.close();
    this.#judge(name, samples, began, ended);
  }

  #judge(name: string, samples: readonly Sample[], began: number, ended: number): void {
    const failedDuring = samples.filter(({ asked, status }) => asked > began && asked < ended && status !== 200);
    const lastFailure = samples.findLast(({ status }) => status !== 200);
    const recovery = lastFailure === undefined ? 0 : lastFailure.asked + lastFailure.time - ended;
    const words = new Set(
      samples.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`),
    );
    words.delete('503 {"error":"store unavailable"}');
    this.#figures
      .show(`${name}: requests`, samples.length)
      .show(`${name}: failed meanwhile`, failedDuring.length)
      .exactly(`${name}: without a response`, samples.filter(({ status }) => status === 0).length, 0)
      .inTime(`${name}: slowest s`, Math.max(...samples.map(({ time }) => time)) / 1000, 2)
      .inTime(`${name}: recovery s`, Math.max(0, recovery) / 1000, 2)
      .holds(`${name}: only the store's messages (${[...words].join()})`, words.size === 0);
    if (name !== "slow") this.#figures.holds(`${name}: the outage was felt`, failedDuring.length > 0);
  }
}

/** All slots can be used concurrently, and there are no more connections than slots and those outside the pool. */
async function countSlots(figures: Figures, server: ServerProcess, url: string): Promise<void> {
  const caller = new Caller(server.url);
  const replies = await Promise.all(Array.from({ length: 3 * poolSize }, () => caller.call("GET", "/posts")));
  caller.close();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const { rows } = await admin.query<{ count: string }>(
    "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  await admin.end();
  figures
    .exactly("afterwards 200 of 30", replies.filter(({ status }) => status === 200).length, 3 * poolSize)
    .atMost("connections", Number(rows[0]?.count), poolSize + reserved);
}
