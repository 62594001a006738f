import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

export const part: Part = {
  id: "V1",
  title: "scripts of two instances, step by step, for every stateful operation and store",
  bar: "at least 40, all deterministic",
  needs: ["postgres", "redis"],
  fullOnly: true,
  async run(options) {
    const rounds = options.short ? 1 : 3;
    for (let round = 1; ; round++) {
      const figures = await judgeTests(["apps/reference/test/isolation"], options, (all, run) => {
        all.atLeast("scripts", sumOf(run, "specs"), 40);
        all.exactly("stores", new Set(run.figures.map(({ store }) => store)).size, 3);
      });
      const result = figures.show("rounds", round).done();
      if (!result.ok || round === rounds) return result;
    }
  },
};
