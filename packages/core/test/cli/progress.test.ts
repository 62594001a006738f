import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandProgress } from "../../src/cli/progress.ts";

/** What was written. */
function record(options: { readonly isTerminal: boolean; readonly width?: number }) {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  return { written, output: { width: 80, ...options, write } };
}

test("without a terminal progress is one line for every tenth, with steps of any size", () => {
  const { written, output } = record({ isTerminal: false });
  const progress = new CommandProgress(1000, "seeding", output);
  for (let count = 0; count < 1000; count++) progress.advance();
  progress.done();
  assert.deepEqual(
    written,
    [100, 200, 300, 400, 500, 600, 700, 800, 900]
      .map((count) => `seeding: ${count / 10} %, ${count}/1,000\n`)
      .concat("seeding: 100 %, 1,000/1,000\n"),
  );
});

test("work that ends early says how far it came, and is then silent", () => {
  const { written, output } = record({ isTerminal: false });
  const progress = new CommandProgress(100, "copying", output);
  progress.advance(5);
  progress.done();
  progress.done();
  progress.advance(50);
  assert.deepEqual(written, ["copying: 5 %, 5/100\n"]);
});

test("on a terminal a bar with percentage and counts is drawn over itself, once for each percent", () => {
  const { written, output } = record({ isTerminal: true });
  const progress = new CommandProgress(2000, "seeding", output);
  progress.advance(1000);
  for (let count = 0; count < 20; count++) progress.advance();
  progress.done();
  const bar = (cells: number) => `[${"=".repeat(cells)}${" ".repeat(24 - cells)}]`;
  assert.deepEqual(written, [
    `\rseeding: ${bar(0)} 0 %, 0/2,000\u001b[K`,
    `\rseeding: ${bar(12)} 50 %, 1,000/2,000\u001b[K`,
    `\rseeding: ${bar(12)} 51 %, 1,020/2,000\u001b[K`,
    `\rseeding: ${bar(12)} 51 %, 1,020/2,000\u001b[K`,
    "\n",
  ]);
});
