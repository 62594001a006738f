import assert from "node:assert/strict";
import { test } from "node:test";
import { pad, showControls, toOneLine, truncate, widthOf } from "../../src/cli/text.ts";

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

test("padding counts cells, and never cuts", () => {
  assert.equal(pad("日本", 6), "日本  ");
  assert.equal(pad("longer", 3), "longer");
});

test("a text is cut where it no longer fits, with an ellipsis, and never past the width", () => {
  assert.equal(truncate("short", 5), "short");
  assert.equal(truncate("longer", 5), "long…");
  assert.equal(truncate("日本語", 6), "日本語");
  assert.equal(truncate("日本語", 5), "日本…");
  assert.equal(truncate("日本語", 4), "日…");
  assert.equal(truncate("anything", 1), "…");
});

test("control characters and direction marks are shown, not obeyed", () => {
  assert.equal(showControls("a\u001b[31mb\u0000\u009b\u202e"), "a\\u001b[31mb\\u0000\\u009b\\u202e");
  assert.equal(showControls("a\r\n\tb"), "a\\r\\n\\tb");
  assert.equal(showControls("🙂 é 日"), "🙂 é 日");
});

test("a message in one line has no line break left", () => {
  assert.equal(toOneLine("  the disk\n   is full\r\n"), "the disk is full");
  assert.equal(toOneLine("a\u001b[2Jb"), "a\\u001b[2Jb");
});
