import { wireCases } from "../../packages/core/test/advisories/wire-cases.ts";
import { Figures, type Part } from "../part.ts";
import { runTestFiles } from "../support/test-files.ts";

export const part: Part = {
  id: "W1",
  title: "raw bytes of every advisory about framing, each with its expected response",
  bar: "at least 120 cases, all as expected; the process lives; 0 hang",
  needs: [],
  fullOnly: true,
  async run(options) {
    const run = await runTestFiles(["packages/core/test/advisories/wire-cases.test.ts"], options);
    const hangs = run.output.split(/no \S+ in \d+ ms/).length - 1;
    return new Figures()
      .atLeast("cases", wireCases.length, 120)
      .show("lines of the list", new Set(wireCases.map(({ id }) => id)).size)
      .exactly("failed", run.failed.length, 0)
      .exactly("hung", hangs, 0)
      .done();
  },
};
