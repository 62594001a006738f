import { median, percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { routerOf } from "../../packages/core/test/support/routers.ts";
import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

const batch = 8;
const samples = 500;
const passes = 60;

export const part: Part = {
  id: "P2",
  title: "random route tables against a literal model of the rules",
  bar: "100,000 runs, 0 mismatch; p99 of a lookup < 5 µs at 1,000 routes",
  needs: [],
  alone: true,
  fullOnly: true,
  async run(options) {
    const figures = await judgeTests(["router-model"], options, (all, run) => {
      all.atLeast("runs", sumOf(run, "runs"), options.short ? 1200 : 100_000);
      all.show("lookups", sumOf(run, "lookups"));
    });
    const { known, unknown } = measureLookups();
    return figures.inTime("p99 µs, known path", known, 5).inTime("p99 µs, path seen first", unknown, 5).done();
  },
};

/** 1,000 routes of all three kinds. Each sample is the mean of a few lookups, because the clock is too coarse for one. */
function measureLookups(): { readonly known: number; readonly unknown: number } {
  const wordsOf = (index: number, word: string) => {
    if (index % 10 < 6) return "list";
    return index % 10 < 9 ? `${word}/comments/7` : `files/a/${word}`;
  };
  const patterns = ["list", ":id/comments/:comment", "files/*"] as const;
  const routes = Array.from({ length: 1000 }, (_, index) => {
    const kind = index % 10 < 6 ? 0 : index % 10 < 9 ? 1 : 2;
    return `GET /area${index}/${patterns[kind]}`;
  });
  const router = routerOf(...routes);
  // flat strings, as from a socket: a concatenated string would be flattened at its first read
  const pathOf = (index: number, word: string) =>
    Buffer.from(`/area${index}/${wordsOf(index, word)}`).toString("latin1");
  let sample = 0;
  const measure = (word: () => string): number => {
    const times: number[] = [];
    for (let count = 0; count < samples; count++, sample++) {
      const paths = Array.from({ length: batch }, (_, step) => pathOf((sample * batch + step * 131) % 1000, word()));
      const start = performance.now();
      for (const path of paths) if (router.resolve("GET", path) === undefined) throw new Error(path);
      times.push(((performance.now() - start) * 1000) / batch);
    }
    return percentile(times, 0.99);
  };
  let fresh = 0;
  // the median of many short passes: the first are still being compiled, and the machine has other work
  const typical = (word: () => string) => median(Array.from({ length: passes }, () => measure(word)));
  return { known: typical(() => "same"), unknown: typical(() => `fresh${fresh++}`) };
}
