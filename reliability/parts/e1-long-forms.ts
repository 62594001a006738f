import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Part } from "../part.ts";
import { judgeTests } from "../support/test-part.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** These have parts of their own. */
const elsewhere = ["router-model", "races", "wire-fuzz"];

/** The test files that do more when they are told to. */
function longForms(): string[] {
  const tests = globSync("{packages,apps}/*/test/**/*.test.ts", { cwd: root });
  return tests.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const isLong = /TENON_FULL|isFullRun|seeded\(|generateApp\(|(?:describe|test)Pages\(/.test(text);
    return isLong && !elsewhere.some((name) => file.includes(name));
  });
}

export const part: Part = {
  id: "E1",
  title: "the long forms of the tests that no line of the plan names",
  bar: "all pass",
  needs: [],
  fullOnly: true,
  async run(options) {
    const files = longForms();
    const figures = await judgeTests(files, options, (all) => all.atLeast("files", files.length, 1));
    return figures.done();
  },
};
