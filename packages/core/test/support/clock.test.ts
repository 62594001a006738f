import assert from "node:assert/strict";
import { test } from "node:test";
import { api, Clock, defineModule } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";

const clock = new Clock();

test("a timestamp is the current time, in UTC with milliseconds", () => {
  const before = Date.now();
  const text = clock.timestamp();
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Date.parse(text) >= before && clock.now() >= Date.parse(text));
});

test("useClock() makes a clock that a test moves that of the application", async () => {
  const fake = new FakeClock("2024-01-01T00:00:00Z");
  const app = await createTestApp(defineModule({ name: "app" }), api(), { override: [useClock(fake)] });
  fake.advance("90s");
  assert.equal(app.get(Clock).timestamp(), "2024-01-01T00:01:30.000Z");
  fake.set("2025-01-01T00:00:00Z");
  assert.equal(app.get(Clock).timestamp(), "2025-01-01T00:00:00.000Z");
  await app.stop();
});
