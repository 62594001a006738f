import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startCodes } from "../packages/core/src/errors.ts";
import { root } from "./support/run.ts";

const rows = readFileSync(join(root, "docs/errors.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("docs/errors.md lists exactly the start codes, in the order of the table in the code", () => {
  assert.deepEqual(
    rows.map(([, code]) => code),
    startCodes.map((code) => `\`${code}\``),
  );
});

test("docs/errors.md describes the cause and the fix of each code", () => {
  for (const [, code = "", cause = "", cure = "", ...rest] of rows) {
    assert.match(cause, /\.$/, code);
    assert.match(cure, /\.$/, code);
    assert.deepEqual(rest, [""], code);
  }
});
