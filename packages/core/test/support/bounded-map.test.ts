import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "@tenon/core/internal";

test("a bounded map returns what was set, and undefined for other keys", () => {
  const map = new BoundedMap<string, number>(4);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  assert.deepEqual([map.get("a"), map.get("b"), map.get("c")], [3, 2, undefined]);
});

test("a full bounded map drops the entries that were not read lately", () => {
  const map = new BoundedMap<string, number>(4);
  map.set("kept", 0);
  for (let key = 0; key < 20; key++) {
    map.set(`k${key}`, key);
    assert.equal(map.get("kept"), 0, `after ${key}`);
  }
  assert.equal(map.get("k0"), undefined);
  assert.equal(map.get("k19"), 19);
});

test("a bounded map never holds more entries than its bound", () => {
  const map = new BoundedMap<number, true>(10_000);
  let most = 0;
  for (let key = 0; key < 1_000_000; key++) {
    map.set(key, true);
    if (key % 3 === 0) map.get(key - 5000);
    most = Math.max(most, map.size);
  }
  assert.equal(most, 10_000);
  assert.equal(map.get(999_999), true);
  assert.equal(map.get(989_999), undefined);
});
