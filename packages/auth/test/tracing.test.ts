import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { Passwords, type TracedHash } from "@tenon/auth";
import type { Tracing } from "@tenon/core/platform";
import { withAuth } from "./support/auth-app.ts";

const hashTracing: Tracing<TracedHash> = tracingChannel("tenon.hash");

test("a hash and a comparison are published, without the password", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const seen: unknown[] = [];
    const subscribers = { start: (payload: TracedHash) => void seen.push({ ...payload }) };
    hashTracing.subscribe(subscribers);
    try {
      const hashing = passwords.hash("correct horse");
      const [metric] = passwords.readMetrics();
      assert.deepEqual(metric?.values[0], { value: 1, labels: { state: "running" } });
      assert.equal(await passwords.matches("correct horse", await hashing), true);
    } finally {
      hashTracing.unsubscribe(subscribers);
    }
    assert.deepEqual(seen, [{ operation: "hash" }, { operation: "verify" }]);
  }));
