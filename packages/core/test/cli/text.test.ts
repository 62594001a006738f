import assert from "node:assert/strict";
import { test } from "node:test";
import { widthOf } from "../../src/cli/text.ts";

const widths: readonly [text: string, width: number][] = [
  ["", 0],
  ["plain", 5],
  ["é", 1],
  ["e\u0301", 1],
  ["日本語", 6],
  ["한글", 4],
  ["ｆｕｌｌ", 8],
  ["🙂", 2],
  ["👍🏽", 2],
  ["👩‍👩‍👧", 2],
  ["→ …", 3],
];
for (const [text, width] of widths) {
  test(`${JSON.stringify(text)} takes ${width} cells`, () => {
    assert.equal(widthOf(text), width);
  });
}
