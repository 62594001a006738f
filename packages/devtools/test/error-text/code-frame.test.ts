import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { readExcerpt, toCodeFrame } from "../../src/error-text/code-frame.ts";

const folder = temporaryFolder("code-frame");
writeFiles(folder, {
  "app.ts": Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n"),
  "tabs.ts": "\n\tthrow x;\r\n",
  "large.ts": "x\n".repeat(600_000),
});
const file = join(folder, "app.ts");

test("the lines around the place are read, with the place marked", () => {
  const excerpt = readExcerpt({ file, line: 10 }, 2);
  assert.deepEqual(excerpt, {
    file,
    line: 10,
    lines: [8, 9, 10, 11, 12].map((number) => ({ number, text: `line ${number}`, isHit: number === 10 })),
  });
});

test("near the ends of a file there are fewer lines", () => {
  const numbers = (line: number) => readExcerpt({ file, line }, 6)?.lines.map(({ number }) => number);
  assert.deepEqual([numbers(1)?.[0], numbers(1)?.at(-1)], [1, 7]);
  assert.deepEqual([numbers(30)?.[0], numbers(30)?.at(-1)], [24, 30]);
});

test("a file that is missing, too large, too short or not a file has no excerpt", () => {
  for (const [name, line] of [
    ["gone.ts", 1],
    ["large.ts", 1],
    ["app.ts", 31],
    ["", 1],
  ] as const) {
    assert.equal(readExcerpt({ file: join(folder, name), line }, 1), undefined, name);
  }
  assert.equal(readExcerpt({ file: "/dev/zero", line: 1 }, 1), undefined);
});

test("a code frame marks the line and, where it is known, the column", () => {
  const near = readExcerpt({ file, line: 9 }, 1);
  assert.ok(near !== undefined);
  assert.equal(toCodeFrame(near), "   8 | line 8\n>  9 | line 9\n  10 | line 10");
  const tabs = readExcerpt({ file: join(folder, "tabs.ts"), line: 2 }, 1);
  assert.ok(tabs !== undefined);
  assert.equal(toCodeFrame(tabs, 8), "  1 |\n> 2 | \tthrow x;\n    | \t      ^\n  3 |");
});
