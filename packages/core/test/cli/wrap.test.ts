import assert from "node:assert/strict";
import { test } from "node:test";
import { alignEntries, wrap } from "../../src/cli/wrap.ts";

test("text is broken between words, and paragraphs stay", () => {
  assert.deepEqual(wrap("one two three", 7), ["one two", "three"]);
  assert.deepEqual(wrap("one two\n\nthree", 80), ["one two", "", "three"]);
  assert.deepEqual(wrap("日本 語", 4), ["日本", "語"]);
});

test("a word that is longer than a line stays whole", () => {
  assert.deepEqual(wrap("see --a-very-long-flag now", 8), ["see", "--a-very-long-flag", "now"]);
});

test("entries are aligned, and the second column is wrapped", () => {
  const entries = [
    ["a", "one two three four five six"],
    ["long", ""],
  ] as const;
  assert.deepEqual(alignEntries(entries, 30), ["  a     one two three four", "        five six", "  long"]);
});

test("a first column of more than half a line has its text on the next line", () => {
  const entries = [
    ["a", "one"],
    ["a command with a long title, longer than that", "two"],
  ] as const;
  assert.deepEqual(alignEntries(entries, 60), [
    `  ${"a".padEnd(32)}one`,
    "  a command with a long title, longer than that",
    `${" ".repeat(34)}two`,
  ]);
});
