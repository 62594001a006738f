import { existsSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { median, percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type FigureTable, type Part, round } from "../part.ts";
import { Caller, jsonOf, LateReuse, type TimedReply } from "../support/caller.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

const posts = 200;
const tick = 5;
const minute = 60_000;
const megabyte = 2 ** 20;
const mostRunning = 256;
/** Below it a slope is meaningless: one page more or less is megabytes an hour. */
const judgedFrom = 30;

export const part: Part = {
  id: "L5",
  title: "hours of mixed load at half of what the machine can do, 80 % reads, on a table that grows",
  bar: "60 min: RSS ≤ 2 MB/h more after 10 min; p99 of the last 5 min ≤ 1.2 × the first 5 min, or × what a fixed CPU loop became slower by; 0 errors",
  needs: [],
  alone: "always",
  onDemand: true,
  async run(options) {
    const minutes = options.short ? 1 : options.minutes;
    return withFolder((folder) => {
      const file = join(folder, "blog.db");
      return withService({ env: { DATABASE_URL: `sqlite:${file}` } }, async (server) => {
        const load = await Load.on(server.url, new Random(options.seed));
        const most = await load.measureMost();
        const rate = most / 2;
        options.say(`${Math.round(most)} requests a second at most, so ${Math.round(rate)} for ${minutes} min`);
        const stolen = new StolenTime();
        const began = performance.now();
        const running = load.run(rate, minutes * minute);
        const every = Math.min(minute, (minutes * minute) / 20);
        const stretches: Stretch[] = [];
        while (performance.now() - began < minutes * minute) {
          await sleep(began + (stretches.length + 1) * every - performance.now());
          const { rss } = await server.ask<Memory>("memory");
          const passed = performance.now() - began;
          const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
          const times = load.takeTimes();
          const [loop, sync] = [await measureLoop(), await measureSync(join(folder, "sync"))];
          stretches.push({ passed, times, rss, rows: load.rows, log, loop, sync, stolen: stolen.take() });
          const share = `${(passed / minute).toFixed(1)} of ${minutes} min`;
          options.say(
            `${share}, ${load.completed} requests, ${load.errors} errors, RSS ${Math.round(rss / megabyte)} MB`,
          );
        }
        await running;
        const edge = Math.min(5, minutes / 4) * minute + every / 2; // the last stretch ends a little late
        const warmUp = Math.min(10, minutes / 3) * minute;
        const first = toEdge(stretches.filter(({ passed }) => passed < edge));
        const last = toEdge(stretches.filter(({ passed }) => passed - every > minutes * minute - edge));
        const slope = slopeOf(stretches.filter(({ passed }) => passed > warmUp)) / megabyte;
        const slower = last.p99 / first.p99;
        const machine = last.loop / first.loop;
        const figures = new Figures()
          .show("minutes", minutes)
          .show("requests a second", Math.round(rate))
          .show("requests", load.completed)
          .exactly("errors", load.errors, 0)
          .show("kinds of errors", load.kinds() || "none")
          .show("sent after the announced end of a connection", load.late)
          .show("not sent in time", load.skipped)
          .show("posts at the end", load.rows)
          .show("p99 ms of the first minutes", first.p99.toFixed(1))
          .show("p99 ms of the last minutes", last.p99.toFixed(1))
          .show("p99, last to first", round(slower))
          .show("CPU loop, last to first", round(machine));
        const own = slower / Math.max(1, machine);
        if (minutes >= judgedFrom) figures.atMost("p99 by the CPU loop", own, 1.2).atMost("RSS MB/h", slope, 2);
        else {
          figures.show("p99 by the CPU loop", round(own)).show("RSS MB/h", slope.toFixed(1));
          figures.note(`slopes are judged from ${judgedFrom} minutes on`);
        }
        return figures
          .exactly("process alive", server.alive ? 1 : 0, 1)
          .table(toTable(stretches))
          .done();
      });
    });
  },
};

/** The measurements of one interval. */
interface Stretch {
  /** Milliseconds since the start. */
  readonly passed: number;
  readonly times: readonly number[];
  readonly rss: number;
  readonly rows: number;
  /** Bytes of the write-ahead log. */
  readonly log: number;
  readonly loop: number;
  readonly sync: number;
  /** Share of the processor time that the host gave to other machines; undefined where the system does not say. */
  readonly stolen: number | undefined;
}

function toEdge(stretches: readonly Stretch[]): { readonly p99: number; readonly loop: number } {
  return {
    p99: percentile(
      stretches.flatMap(({ times }) => times),
      0.99,
    ),
    loop: median(stretches.map(({ loop }) => loop)),
  };
}

function toTable(stretches: readonly Stretch[]): FigureTable {
  return {
    columns: [
      "minute",
      "requests",
      "p50 ms",
      "p99 ms",
      "RSS MB",
      "posts",
      "log MB",
      "CPU loop ms",
      "fdatasync ms",
      "stolen CPU",
    ],
    rows: stretches.map(({ passed, times, rss, rows, log, loop, sync, stolen }) => [
      (passed / minute).toFixed(1),
      times.length,
      percentile(times, 0.5).toFixed(2),
      percentile(times, 0.99).toFixed(2),
      (rss / megabyte).toFixed(1),
      rows,
      (log / megabyte).toFixed(1),
      loop.toFixed(2),
      sync.toFixed(2),
      stolen === undefined ? "" : `${Math.round(100 * stolen)} %`,
    ]),
  };
}

/** Milliseconds of a fixed CPU loop: when it takes longer, the machine is slower and not the service. */
async function measureLoop(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    let value = round;
    for (let step = 0; step < 5_000_000; step++) value = (Math.imul(value, 1_664_525) + step) | 0;
    if (value === 0.5) throw new Error("never: it keeps the loop from being optimized away");
    times.push(performance.now() - start);
    await sleep(20); // the load goes on
  }
  return median(times);
}

/** Milliseconds to sync one page to the disk: only shown, because it also waits for the service's writes. */
async function measureSync(path: string): Promise<number> {
  const times: number[] = [];
  const file = await open(path, "w");
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    await file.write(Buffer.alloc(4096), 0, 4096, 0);
    await file.datasync();
    times.push(performance.now() - start);
  }
  await file.close();
  return median(times);
}

/** Processor time that a virtual machine did not get, from Linux: a response waits for it like for work. */
class StolenTime {
  #last = readProcessorTimes();

  /** The share since the last call. */
  take(): number | undefined {
    const [last, now] = [this.#last, readProcessorTimes()];
    this.#last = now;
    if (last === undefined || now === undefined || now.total === last.total) return undefined;
    return (now.stolen - last.stolen) / (now.total - last.total);
  }
}

function readProcessorTimes(): { readonly total: number; readonly stolen: number } | undefined {
  if (!existsSync("/proc/stat")) return undefined;
  const [first = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, stolen = 0] = first
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { total: user + nice + system + idle + wait + irq + softirq + stolen, stolen };
}

/** Reads, updates, and new posts that are published: the table grows, and no list is read as a whole. */
class Load {
  completed = 0;
  errors = 0;
  /** Requests that were due and not sent, because too many waited. */
  skipped = 0;
  /** Requests without a response, sent on a connection after the end that the server had announced. */
  late = 0;
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #token: string;
  readonly #ids: string[] = [];
  readonly #kinds = new Map<string, number>();
  #times: number[] = [];

  private constructor(caller: Caller, random: Random, token: string) {
    this.#caller = caller;
    this.#random = random;
    this.#token = token;
  }

  static async on(url: string, random: Random): Promise<Load> {
    const token = await register(url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
    const load = new Load(new Caller(url, 64), random, token);
    for (let count = 0; count < posts; count++) await load.#create();
    return load;
  }

  /** How often each kind of error occurred. */
  kinds(): string {
    return [...this.#kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
  }

  get rows(): number {
    return this.#ids.length;
  }

  /** Milliseconds of each request since the last call. */
  takeTimes(): readonly number[] {
    const times = this.#times;
    this.#times = [];
    return times;
  }

  /** The highest rate of requests a second. */
  async measureMost(): Promise<number> {
    const seconds = 5;
    const end = performance.now() + seconds * 1000;
    const before = this.completed;
    const work = async () => {
      while (performance.now() < end) await this.#one();
    };
    await Promise.all(Array.from({ length: 16 }, work));
    return (this.completed - before) / seconds;
  }

  /** Sends at a steady rate, as long as at most `mostRunning` requests wait: a longer queue would slow down the load itself. */
  async run(rate: number, milliseconds: number): Promise<void> {
    const running = new Set<Promise<void>>();
    const began = performance.now();
    this.takeTimes();
    let asked = 0;
    for (let passed = 0; passed < milliseconds; passed = performance.now() - began) {
      for (; asked < (passed / 1000) * rate; asked++) {
        if (running.size >= mostRunning) {
          this.skipped++;
          continue;
        }
        const one = this.#one().finally(() => running.delete(one));
        running.add(one);
      }
      await sleep(tick);
    }
    await Promise.all(running);
    this.#caller.close();
  }

  async #one(): Promise<void> {
    try {
      const { status, time } = await (this.#random.below(5) === 0 ? this.#write() : this.#read());
      if (status >= 400) this.#count(`status ${status}`);
      this.completed++;
      this.#times.push(time);
    } catch (error) {
      if (error instanceof LateReuse) this.late++;
      else this.#count(error instanceof Error ? error.message : String(error));
    }
  }

  #count(kind: string): void {
    this.errors++;
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }

  #read(): Promise<TimedReply> {
    const kind = this.#random.below(3);
    if (kind === 0) return this.#caller.call("GET", "/posts?limit=10");
    if (kind === 1) return this.#caller.call("GET", "/auth/me", { token: this.#token });
    return this.#caller.call("GET", `/posts/${this.#random.pick(this.#ids)}`);
  }

  /** A new post, or the change of one, which is then published: one write in four, and three. */
  #write(): Promise<TimedReply> {
    if (this.#random.below(4) === 0) return this.#create();
    const json = { title: `Title ${this.#random.below(1000)}`, content: "c".repeat(400), published: true };
    // every other one of the newest, so that most new posts are published
    const newest = Math.max(0, this.#ids.length - 10);
    const id = this.#random.below(2) === 0 ? this.#ids[newest] : undefined;
    return this.#caller.call("PUT", `/posts/${id ?? this.#random.pick(this.#ids)}`, { json, token: this.#token });
  }

  async #create(): Promise<TimedReply> {
    const json = { title: `Post ${this.#ids.length}`, content: "A text of a few lines. ".repeat(20) };
    const reply = await this.#caller.call("POST", "/posts", { json, token: this.#token });
    if (reply.status === 201) this.#ids.push(jsonOf<{ id: string }>(reply).id);
    return reply;
  }
}

/** Bytes an hour, by least squares. */
function slopeOf(stretches: readonly Stretch[]): number {
  const points = stretches.map(({ passed, rss }) => ({ hours: passed / (60 * minute), rss }));
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(({ hours }) => hours), mean(({ rss }) => rss)];
  const covariance = mean(({ hours, rss }) => (hours - x) * (rss - y));
  return covariance / mean(({ hours }) => (hours - x) ** 2);
}
