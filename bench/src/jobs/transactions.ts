import { api, createApp, defineModule, dto, integer } from "@tenon/core";
import { Database, dataModule, type Generated, sql } from "@tenon/data";
import { defineJob, Jobs, jobsModule } from "@tenon/jobs";
import { inTurn } from "../order.ts";
import { processorTimeOf } from "../server.ts";
import { median } from "../statistics.ts";
import { withDatabase } from "./trial-store.ts";

interface Schema {
  bench_orders: { id: Generated<number>; note: string };
  bench_plain: { id: Generated<number>; input: string };
}

const OrderJob = defineJob("bench/order", { input: dto({ job: integer("required"), ms: integer("required") }) });
const lanes = 32;
/** Milliseconds of one slice, and slices of each kind in a round. */
const slice = 500;
const slices = 6;
const kinds = ["plain", "enqueue"] as const;
type Kind = (typeof kinds)[number];

interface Sample {
  /** Transactions in a second. */
  readonly rate: number;
  /** Milliseconds of processor time for one, of this process and of the connections of the server together. */
  readonly processor: number;
}

/** A sample for each round. */
export type Transactions = Readonly<Record<Kind, readonly Sample[]>>;

/** Transactions of a row and a job, in turn with transactions of a row and a plain insert, on PostgreSQL. */
export async function measureTransactions(rounds: number): Promise<Transactions> {
  const samples: Record<Kind, Sample[]> = { plain: [], enqueue: [] };
  for (let round = 0; round < rounds; round++) {
    const measured = await withDatabase((url) => measureRound(url));
    for (const kind of kinds) samples[kind].push(measured[kind]);
  }
  return samples;
}

async function measureRound(url: string): Promise<Record<Kind, Sample>> {
  const data = dataModule({ database: url, postgres: { poolSize: lanes } });
  const module = defineModule({ name: "bench", imports: [data, jobsModule(data, { inProcess: false })] });
  const app = await createApp(module, api(), { log: { level: "fatal" } });
  await app.start();
  try {
    const db = app.get(Database<Schema>);
    const jobs = app.get(Jobs);
    for (const [table, column] of [
      ["bench_orders", "note"],
      ["bench_plain", "input"],
    ] as const) {
      await db.schema
        .createTable(table)
        .addColumn("id", "bigint", (id) => id.primaryKey().generatedByDefaultAsIdentity())
        .addColumn(column, "text", (text) => text.notNull())
        .execute();
    }
    const input = { job: 1, ms: 0 };
    const run = (kind: Kind) =>
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto("bench_orders").values({ note: "an order" }).execute();
        if (kind === "enqueue") await jobs.enqueue(OrderJob, input, { transaction });
        else
          await transaction
            .insertInto("bench_plain")
            .values({ input: JSON.stringify(input) })
            .returning("id")
            .execute();
      });
    const findPids = sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()`;
    const measure = async (kind: Kind): Promise<{ count: number; time: number; processor: number }> => {
      const pids = [process.pid, ...(await findPids.execute(db)).rows.map(({ pid }) => pid)];
      const processorTime = () => 1000 * pids.reduce((sum, pid) => sum + processorTimeOf(pid), 0);
      const before = processorTime();
      const begun = performance.now();
      let count = 0;
      const lane = async () => {
        for (; performance.now() - begun < slice; count++) await run(kind);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return { count, time: performance.now() - begun, processor: processorTime() - before };
    };
    const sums = { plain: { count: 0, time: 0, processor: 0 }, enqueue: { count: 0, time: 0, processor: 0 } };
    for (let index = -1; index < slices; index++) {
      for (const kind of inTurn(kinds, index + 1)) {
        const { count, time, processor } = await measure(kind);
        if (index < 0) continue; // connections are opened, and V8 optimizes
        sums[kind].count += count;
        sums[kind].time += time;
        sums[kind].processor += processor;
      }
    }
    const toSample = ({ count, time, processor }: (typeof sums)[Kind]): Sample => ({
      rate: (1000 * count) / time,
      processor: processor / count,
    });
    return { plain: toSample(sums.plain), enqueue: toSample(sums.enqueue) };
  } finally {
    await app.stop();
  }
}

export function describeTransactions({ plain, enqueue }: Transactions): string {
  const describe = (by: keyof Sample, digits: number, ratioOf: (job: number, bare: number) => number) => {
    const ratios = enqueue.map((sample, round) => ratioOf(sample[by], plain[round]?.[by] ?? Number.NaN));
    const [job, bare] = [enqueue, plain].map((samples) => median(samples.map((sample) => sample[by])).toFixed(digits));
    return `${job} to ${bare}, ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  };
  return (
    `${lanes} transactions at a time of a row and a job on PostgreSQL, to a row and a plain insert: ` +
    `${describe("rate", 0, (job, bare) => job / bare)} by transactions a second; ` +
    `${describe("processor", 2, (job, bare) => bare / job)} by processor ms`
  );
}
