import assert from "node:assert/strict";
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule, Health, HealthController } from "@tenon/data";
import { withFolder } from "./support/services.ts";

function createHealthApp() {
  const data = dataModule({ database: "sqlite::memory:" });
  return createTestApp(defineModule({ name: "app", imports: [data], declarations: [HealthController] }), api());
}

test("a mounted health controller reports that everything is ready", async () => {
  const app = await createHealthApp();
  const live = await app.request("GET", "/health/live");
  assert.deepEqual([live.status, await live.json()], [200, { status: "ok" }]);
  const ready = await app.request("GET", "/health/ready");
  assert.deepEqual(
    [ready.status, await ready.json()],
    [200, { status: "ok", checks: { database: "ok", keyValue: "ok" } }],
  );
  await app.stop();
});

test("a failing check makes the application not ready, but it stays live", async () => {
  const app = await createHealthApp();
  app.get(Health).add("mail", () => Promise.reject(new Error("smtp is down")));
  app.get(Health).add("throws", () => {
    throw new Error("at once");
  });
  const ready = await app.request("GET", "/health/ready");
  assert.deepEqual(
    [ready.status, await ready.json()],
    [
      503,
      { status: "unavailable", checks: { database: "ok", keyValue: "ok", mail: "unavailable", throws: "unavailable" } },
    ],
  );
  assert.equal((await app.request("GET", "/health/live")).status, 200);
  await app.stop();
});

for (const [change, apply] of [
  ["deleted", (path: string) => rmSync(path)],
  ["replaced", (path: string) => cpSync(path, `${path}.new`) ?? renameSync(`${path}.new`, path)],
] as const) {
  test(`an application whose SQLite file was ${change} is not ready`, () =>
    withFolder(async (folder) => {
      const path = join(folder, "app.db");
      const data = dataModule({ database: `sqlite:${path}` });
      const app = await createTestApp(defineModule({ name: "app", imports: [data] }), api());
      const checks = async () => (await app.get(Health).report()).checks;
      assert.deepEqual(await checks(), { database: "ok", keyValue: "ok" });
      apply(path);
      assert.deepEqual(await checks(), { database: "unavailable", keyValue: "unavailable" });
      await app.stop();
    }));
}

test("a check that never ends counts as failed", async () => {
  const health = new Health();
  health.add("stuck", () => new Promise(() => {}));
  assert.deepEqual(await health.report(), { status: "unavailable", checks: { stuck: "unavailable" } });
});

test("the health routes declare what they return", async () => {
  const app = await createHealthApp();
  const { paths } = await app.openapi();
  const told = Object.values(paths).map(({ get }) => [get?.operationId, get?.tags, Object.keys(get?.responses ?? {})]);
  assert.deepEqual(told, [
    ["health.live", ["health"], ["200"]],
    ["health.ready", ["health"], ["200", "503"]],
  ]);
  await app.stop();
});
