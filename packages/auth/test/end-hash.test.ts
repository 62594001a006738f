import assert from "node:assert/strict";
import { test } from "node:test";
import { endHash } from "../src/end-hash.ts";

test("the hash of a text is a stable integer of at most 30 bits, whatever the length of the text", () => {
  for (const text of ["", "a", "\ud800", "fifteen letters", "x".repeat(10_000), "\uffff".repeat(20)]) {
    assert.equal(endHash(text), endHash(text));
    assert.ok(Number.isInteger(endHash(text)) && endHash(text) >= 0 && endHash(text) < 2 ** 30, text);
  }
});

test("the hash depends on the last 16 characters only", () => {
  const end = "0123456789abcdef";
  assert.equal(endHash(`one ${end}`), endHash(`another ${end}`));
  const changed = Array.from(end, (_, index) => `${end.slice(0, index)}-${end.slice(index + 1)}`);
  assert.equal(new Set([end, ...changed].map(endHash)).size, 17);
});

test("100,000 texts have few equal hashes", () => {
  const hashes = new Set<number>();
  for (let count = 0; count < 100_000; count++) hashes.add(endHash(`text number ${count * 7919}`));
  assert.ok(hashes.size > 99_950, `${hashes.size}`); // by chance, five would
});
