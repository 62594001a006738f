import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startCodes } from "../packages/core/src/support/errors.ts";
import { root } from "./support/run.ts";

const sections = readFileSync(join(root, "docs/errors.md"), "utf8")
  .split(/^(?=##)/m)
  .filter((section) => section.startsWith("### "));

test("docs/errors.md has a section for each start code, whose anchor the message of a failed start names", () => {
  const titles = sections.map((section) => section.slice("### ".length, section.indexOf("\n")));
  assert.deepEqual(titles.toSorted(), startCodes.toSorted());
});

test("docs/errors.md says of each code what it means and what to do", () => {
  for (const section of sections) assert.match(section, /^### \w+\n\n.+\.\n\n\*\*Fix:\*\* .+\.\n+$/);
});
