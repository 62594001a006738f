import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { type HashSignal, Passwords } from "@tenon/auth";
import type { Signal } from "@tenon/core/platform";
import { withAuth } from "./support/auth-app.ts";

const hashSignal: Signal<HashSignal> = tracingChannel("tenon.hash");

test("a hash and a comparison are published, without the password", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const seen: unknown[] = [];
    const subscribers = { start: (payload: HashSignal) => void seen.push({ ...payload }) };
    hashSignal.subscribe(subscribers);
    try {
      const hashing = passwords.hash("correct horse");
      const [metric] = passwords.readMetrics();
      assert.deepEqual(metric?.values[0], { value: 1, labels: { state: "running" } });
      assert.equal(await passwords.matches("correct horse", await hashing), true);
    } finally {
      hashSignal.unsubscribe(subscribers);
    }
    assert.deepEqual(seen, [{ operation: "hash" }, { operation: "verify" }]);
  }));
