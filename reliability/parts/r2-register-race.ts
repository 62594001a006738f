import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

export const part: Part = {
  id: "R2",
  title: "one e-mail in all spellings, 2 instances × 50 registrations at once",
  bar: "50 rounds: one 201 and 99 × 409 in each, 0 × 500",
  needs: ["postgres", "redis"],
  fullOnly: true,
  async run(options) {
    const figures = await judgeTests(
      ["apps/reference/test/races"],
      options,
      (all, run) => {
        all
          .show("stores", new Set(run.figures.map(({ store }) => store)).size)
          .exactly("rounds", sumOf(run, "rounds"), options.short ? 3 : 150)
          .show("registrations", sumOf(run, "registrations"));
      },
      "R2\\)",
    );
    return figures.done();
  },
};
