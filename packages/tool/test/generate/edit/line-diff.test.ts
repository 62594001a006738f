import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../../../src/generate/edit/line-diff.ts";

test("shows the lines to remove and to add, with the lines around them", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  assert.equal(diffLines(before, "a\nb\nC\nd\ne\nf\ng\n"), "    b\n  - c\n  + C\n    d\n  …\n    f\n  + g\n");
  assert.equal(diffLines(before, "a\nc\nd\ne\nf\n"), "    a\n  - b\n    c\n  …\n");
  assert.equal(diffLines("", "a\n"), "  -\n  + a\n");
});
