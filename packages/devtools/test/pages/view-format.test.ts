import assert from "node:assert/strict";
import { test } from "node:test";
import { toDuration, toJson, toParts, toPretty, toQuery, toSize, toTime } from "../../src/pages/view-format.ts";

test("times, sizes and values are written for people", () => {
  assert.deepEqual([0.314, 5, 42.25, 250.4, 1250].map(toDuration), [
    "0.31 ms",
    "5.00 ms",
    "42.3 ms",
    "250 ms",
    "1.25 s",
  ]);
  assert.deepEqual([undefined, 0, 1, 12, 3500].map(toSize), ["a stream", "0 bytes", "1 byte", "12 bytes", "3.4 KiB"]);
  assert.match(toTime("2026-01-02T03:04:05.678Z"), /^\d\d:\d\d:05$/);
  assert.equal(toPretty('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(toPretty("a=1"), "a=1");
  assert.deepEqual([toJson("text"), toJson([1])], ["text", "[1]"]);
  assert.deepEqual(toParts("src/posts.pages.ts:12"), ["src/", "posts.", "pages.", "ts:", "12"]);
  assert.deepEqual(toParts("WritingPages.publishLater"), ["Writing", "Pages.", "publish", "Later"]);
  assert.deepEqual(toParts("DATABASE_LISTEN_URL"), ["DATABASE_", "LISTEN_", "URL"]);
  assert.equal(toQuery({ id: "a b" }), "id=a+b");
});
