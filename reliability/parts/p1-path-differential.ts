import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

export const part: Part = {
  id: "P1",
  title: "every spelling of a guarded path: does the handler run without its guard?",
  bar: "at least 60 mutations of each guarded route; handler runs without guard: 0",
  needs: [],
  fullOnly: true,
  async run(options) {
    const figures = await judgeTests(["path-differential"], options, (all, run) => {
      all
        .show("requests", sumOf(run, "requests"))
        .atLeast("fewest mutations of a route", Number(run.figures[0]?.fewestMutations ?? 0), 60)
        .show("handler runs", sumOf(run, "handlerRuns"))
        .exactly("without guard", sumOf(run, "withoutGuard"), 0);
    });
    return figures.done();
  },
};
