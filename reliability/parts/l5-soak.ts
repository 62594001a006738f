import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf, type TimedReply } from "../support/caller.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

const posts = 200;
const tick = 5;
const minute = 60_000;
const megabyte = 2 ** 20;
/** Below it a slope says nothing: one page more or less is megabytes an hour. */
const judgedFrom = 30;

export const part: Part = {
  id: "L5",
  title: "hours of mixed load at half of what the machine can do, 80 % reads",
  bar: "60 min: RSS ≤ 2 MB/h more after 10 min; p99 of the last 5 min ≤ 1.2 × the first 5 min; 0 errors",
  needs: [],
  alone: true,
  onDemand: true,
  async run(options) {
    const minutes = options.short ? 1 : options.minutes;
    return withFolder((folder) =>
      withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` } }, async (server) => {
        const load = await Load.on(server.url, new Random(options.seed));
        const most = await load.measureMost();
        const rate = most / 2;
        options.say(`${Math.round(most)} requests a second at most, so ${Math.round(rate)} for ${minutes} min`);
        const memory: { readonly hours: number; readonly rss: number }[] = [];
        const began = performance.now();
        const edge = Math.min(5, minutes / 4) * minute;
        const warmUp = Math.min(10, minutes / 3) * minute;
        const running = load.run(rate, minutes * minute, edge);
        const every = Math.min(minute, (minutes * minute) / 20);
        while (performance.now() - began < minutes * minute) {
          await sleep(every);
          const passed = performance.now() - began;
          const { rss } = await server.ask<Memory>("memory");
          if (passed > warmUp) memory.push({ hours: passed / (60 * minute), rss });
          const share = `${(passed / minute).toFixed(1)} of ${minutes} min`;
          options.say(
            `${share}, ${load.answered} requests, ${load.errors} errors, RSS ${Math.round(rss / megabyte)} MB`,
          );
        }
        const { first, last } = await running;
        const slope = slopeOf(memory) / megabyte;
        const slower = percentile(last, 0.99) / percentile(first, 0.99);
        const figures = new Figures()
          .show("minutes", minutes)
          .show("requests a second", Math.round(rate))
          .show("requests", load.answered)
          .exactly("errors", load.errors, 0)
          .show("p99 ms of the first minutes", percentile(first, 0.99).toFixed(1))
          .show("p99 ms of the last minutes", percentile(last, 0.99).toFixed(1));
        if (minutes >= judgedFrom) figures.atMost("p99, last to first", slower, 1.2).atMost("RSS MB/h", slope, 2);
        else {
          figures.show("p99, last to first", slower.toFixed(2)).show("RSS MB/h", slope.toFixed(1));
          figures.note(`slopes are judged from ${judgedFrom} minutes on`);
        }
        return figures.exactly("process alive", server.alive ? 1 : 0, 1).done();
      }),
    );
  },
};

/** Reads, and writes that leave the store as large as it was. */
class Load {
  answered = 0;
  errors = 0;
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #token: string;
  readonly #ids: readonly string[];

  private constructor(caller: Caller, random: Random, token: string, ids: readonly string[]) {
    this.#caller = caller;
    this.#random = random;
    this.#token = token;
    this.#ids = ids;
  }

  static async on(url: string, random: Random): Promise<Load> {
    const token = await register(url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
    const caller = new Caller(url, 64);
    const ids: string[] = [];
    for (let count = 0; count < posts; count++) {
      const json = { title: `Post ${count}`, content: "A text of a few lines. ".repeat(20) };
      ids.push(jsonOf<{ id: string }>(await caller.call("POST", "/posts", { json, token })).id);
    }
    return new Load(caller, random, token, ids);
  }

  /** Requests a second, as many as it can answer. */
  async measureMost(): Promise<number> {
    const seconds = 5;
    const end = performance.now() + seconds * 1000;
    const before = this.answered;
    const work = async () => {
      while (performance.now() < end) await this.#one();
    };
    await Promise.all(Array.from({ length: 16 }, work));
    return (this.answered - before) / seconds;
  }

  /** At a steady rate; gives the times of the first and the last stretch. */
  async run(rate: number, milliseconds: number, edge: number): Promise<{ first: number[]; last: number[] }> {
    const times = { first: [] as number[], last: [] as number[] };
    const open = new Set<Promise<void>>();
    const began = performance.now();
    let asked = 0;
    for (let passed = 0; passed < milliseconds; passed = performance.now() - began) {
      const into = passed < edge ? times.first : passed > milliseconds - edge ? times.last : undefined;
      for (; asked < (passed / 1000) * rate; asked++) {
        const one = this.#one().then((time) => {
          open.delete(one);
          into?.push(time);
        });
        open.add(one);
      }
      await sleep(tick);
    }
    await Promise.all(open);
    this.#caller.close();
    return times;
  }

  async #one(): Promise<number> {
    try {
      const { status, time } = await (this.#random.below(5) === 0 ? this.#write() : this.#read());
      if (status >= 400) this.errors++;
      this.answered++;
      return time;
    } catch {
      this.errors++;
      return 0;
    }
  }

  #read(): Promise<TimedReply> {
    const kind = this.#random.below(3);
    if (kind === 0) return this.#caller.call("GET", "/posts?limit=10");
    if (kind === 1) return this.#caller.call("GET", "/auth/me", { token: this.#token });
    return this.#caller.call("GET", `/posts/${this.#random.pick(this.#ids)}`);
  }

  #write(): Promise<TimedReply> {
    const json = { title: `Title ${this.#random.below(1000)}`, content: "c".repeat(400), published: true };
    return this.#caller.call("PUT", `/posts/${this.#random.pick(this.#ids)}`, { json, token: this.#token });
  }
}

/** Bytes an hour, by least squares. */
function slopeOf(points: readonly { readonly hours: number; readonly rss: number }[]): number {
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(({ hours }) => hours), mean(({ rss }) => rss)];
  const covariance = mean(({ hours, rss }) => (hours - x) * (rss - y));
  return covariance / mean(({ hours }) => (hours - x) ** 2);
}
