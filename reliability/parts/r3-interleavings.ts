import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

export const part: Part = {
  id: "R3",
  title: "refresh against logout, PUT against DELETE, session reads against their end",
  bar: "500 interleavings each: no token valid after the response to a logout, no deleted post restored, no ended session valid",
  needs: ["postgres", "redis"],
  fullOnly: true,
  async run(options) {
    const each = 3 * (options.short ? 10 : 500);
    const figures = await judgeTests(
      ["apps/reference/test/races"],
      options,
      (all, run) => {
        all
          .show("stores", new Set(run.figures.map(({ store }) => store)).size)
          .exactly("refresh × logout", sumOf(run, "refreshLogout"), each)
          .exactly("PUT × DELETE", sumOf(run, "putDelete"), each)
          .exactly("read × end", sumOf(run, "readExpire"), each);
      },
      "R3\\)",
    );
    return figures.done();
  },
};
