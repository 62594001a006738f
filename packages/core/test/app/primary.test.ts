import assert from "node:assert/strict";
import { test } from "node:test";
import { connectToPrimary } from "@tenon/core/internal";

test("a process that is not a worker has no primary", () => {
  assert.equal(connectToPrimary("news"), undefined);
});
