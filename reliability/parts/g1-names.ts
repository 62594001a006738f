import type { Part } from "../part.ts";
import { judgeTests, sumOf } from "../support/test-files.ts";

export const part: Part = {
  id: "G1",
  title: "hostile names for the scaffolding tool",
  bar: "10,000 names: 0 files outside the target, nothing overwritten, every refusal with exit code ≠ 0 and a reason",
  needs: [],
  fullOnly: true,
  async run(options) {
    const figures = await judgeTests(
      ["packages/tool/test/names", "packages/tool/test/tool.module"],
      options,
      (all, run) => {
        all
          .atLeast("names", sumOf(run, "names"), options.short ? 1000 : 10_000)
          .show("refused", sumOf(run, "refused"))
          .exactly("refused without a reason", sumOf(run, "withoutReason"), 0)
          .exactly("files outside", sumOf(run, "outside"), 0);
      },
    );
    return figures.done();
  },
};
