import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wireCases } from "../../packages/core/test/advisories/wire-cases.ts";
import { advisories } from "../../test/support/advisories.ts";
import { Figures, type Part } from "../part.ts";
import { runTestFiles } from "../support/test-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ids = Object.keys(advisories);

export const part: Part = {
  id: "W3",
  title: "the advisories of others, one test each, named by its id",
  bar: "every line tested, or not applicable with a reason; all pass; at most 60 s",
  needs: [],
  fullOnly: true,
  async run(options) {
    // the table of wire cases is W1
    const files = globSync("{packages,apps}/*/test/**/*advisories*/**/*.test.ts", { cwd: root });
    const others = files.filter((file) => !file.includes("wire-cases"));
    const run = await runTestFiles([...others, "test/advisories.test.ts"], options);
    const named = [...run.passed, ...run.failed].flatMap((name) => name.match(/\b[PHBKXJA]\d+\b/g) ?? []);
    const tested = new Set([...named, ...wireCases.map(({ id }) => id)]);
    const security = readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8");
    const [, section = ""] = security.split(/^#+ .*not applicable.*$/im);
    const notApplicable = new Set(section.match(/\b[PHBKXJA]\d+\b/g) ?? []);
    const uncovered = ids.filter((id) => !tested.has(id) && !notApplicable.has(id));
    const figures = new Figures()
      .show("lines", ids.length)
      .show("tested", ids.filter((id) => tested.has(id)).length)
      .show("not applicable", ids.filter((id) => !tested.has(id) && notApplicable.has(id)).length)
      .exactly("neither", uncovered.length, 0)
      .show("tests", run.passed.length)
      .exactly("failed", run.failed.length, 0)
      .inTime("seconds", run.seconds, 60);
    if (uncovered.length > 0) figures.note(`neither: ${uncovered.join(" ")}`);
    return figures.done();
  },
};
