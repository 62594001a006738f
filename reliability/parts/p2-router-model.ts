import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { routerOf } from "../../packages/core/test/support/routers.ts";
import type { Part } from "../part.ts";
import { sumOf } from "../support/test-files.ts";
import { judgeTests } from "../support/test-part.ts";

export const part: Part = {
  id: "P2",
  title: "random route tables against a literal model of the rules",
  bar: "100,000 runs, 0 mismatch; p99 of a lookup < 5 µs at 1,000 routes",
  needs: [],
  async run(options) {
    const figures = await judgeTests(["router-model"], options, (all, run) => {
      all.atLeast("runs", sumOf(run, "runs"), options.short ? 2500 : 100_000);
      all.show("lookups", sumOf(run, "lookups"));
    });
    const { known, unknown } = measureLookups();
    return figures.atMost("p99 µs, known path", known, 5).atMost("p99 µs, path seen first", unknown, 5).done();
  },
};

/** 1,000 routes of all three kinds. Each sample is the mean of a few lookups: a clock has no finer tick. */
function measureLookups(): { readonly known: number; readonly unknown: number } {
  const routes = Array.from({ length: 1000 }, (_, index) => {
    const kind = index % 10;
    return `GET /area${index}/${kind < 6 ? "list" : kind < 9 ? ":id/comments/:comment" : "files/*"}`;
  });
  const router = routerOf(...routes);
  const pathOf = (index: number, word: string) => {
    const kind = index % 10;
    return `/area${index}/${kind < 6 ? "list" : kind < 9 ? `${word}/comments/7` : `files/a/${word}`}`;
  };
  let fresh = 0;
  const measure = (word: () => string): number => {
    const times: number[] = [];
    for (let sample = 0; sample < 5000; sample++) {
      const paths = Array.from({ length: 8 }, (_, step) => pathOf((sample * 8 + step * 131) % 1000, word()));
      const start = performance.now();
      for (const path of paths) if (router.resolve("GET", path) === undefined) throw new Error(path);
      times.push(((performance.now() - start) * 1000) / paths.length);
    }
    return percentile(times, 0.99);
  };
  // the calmest of some passes: the first ones are still being compiled, and others may use the machine meanwhile
  const calmest = (word: () => string) => Math.min(...Array.from({ length: 9 }, () => measure(word)));
  return { known: calmest(() => "same"), unknown: calmest(() => `fresh${fresh++}`) };
}
