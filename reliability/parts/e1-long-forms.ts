import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Part } from "../part.ts";
import { judgeTests } from "../support/test-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** These have their own parts. */
const elsewhere = ["router-model", "races", "wire-fuzz"];

/** The test files that have a long form. */
function longForms(): string[] {
  const tests = globSync(["{packages,apps}/*/test/**/*.test.ts", "test/*.test.ts"], { cwd: root });
  return tests.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const isLong = /TENON_FULL|isFullRun|seeded\(|generateApp\(|(?:describe|test)Pages\(/.test(text);
    return isLong && !elsewhere.some((name) => file.includes(name));
  });
}

export const part: Part = {
  id: "E1",
  title: "the long forms of the tests that no other part runs",
  bar: "all pass",
  needs: [],
  fullOnly: true,
  async run(options) {
    const files = longForms();
    const figures = await judgeTests(files, options, (all) => all.atLeast("files", files.length, 1));
    return figures.done();
  },
};
