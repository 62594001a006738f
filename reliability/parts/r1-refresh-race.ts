import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

export const part: Part = {
  id: "R1",
  title: "one refresh token, 2 instances × 50 calls at once",
  bar: "200 rounds on SQLite, PostgreSQL and Redis: one winner each; the losers get `invalid refresh token`; after a restart still none",
  needs: ["postgres", "redis"],
  fullOnly: true,
  async run(options) {
    const rounds = options.short ? 3 : 200;
    const figures = await judgeTests(
      ["apps/reference/test/races"],
      options,
      (all, run) => {
        all
          .exactly("stores", new Set(run.figures.map(({ store }) => store)).size, 3)
          .exactly("rounds", sumOf(run, "rounds"), 3 * rounds)
          .exactly("with one winner", sumOf(run, "oneWinner"), 3 * rounds)
          .exactly("invalid after a restart", sumOf(run, "deadAfterRestart"), 3 * rounds);
      },
      "R1\\)",
    );
    return figures.done();
  },
};
