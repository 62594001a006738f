import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiKeyAuth, ApiKeys } from "@tenon/auth";
import { type Context, HttpError, provide, type Routes } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { testOnBothTransports, withAuth } from "./support/auth-app.ts";

class Guarded {
  routes(): Routes {
    return [{ method: "GET", path: "/key", handler: this.show, middlewares: [ApiKeyAuth] }];
  }

  show(ctx: Context) {
    return { user_id: ctx.get("user_id"), api_key: ctx.get("api_key"), role: ctx.get("user_role") ?? null };
  }
}
const setup = { declarations: [Guarded] };

testOnBothTransports("a request without a key gets 401 Missing API key", setup, async (ask, { app }) => {
  const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
  for (const headers of [{}, { "x-api-key": "" }, { "x-api-key": "  " }, { authorization: `Bearer ${key}` }]) {
    const { status, body } = await ask("/key", headers);
    assert.deepEqual([status, body], [401, { error: "Missing API key" }]);
  }
});

testOnBothTransports("an invalid key gets 401 Invalid API key", setup, async (ask, { app, clock }) => {
  const keys = app.get(ApiKeys);
  const revoked = await keys.create("ada", { scopes: "all" });
  await keys.revoke("ada", revoked.record.id);
  const expired = await keys.create("ada", { scopes: "all", expiresAt: new Date(clock.now() + 1000).toISOString() });
  clock.advance("1s");
  for (const key of [
    "x",
    "tnn_",
    `tnn_${"A".repeat(43)}`,
    revoked.key,
    expired.key,
    `${revoked.key}, ${expired.key}`,
  ]) {
    const { status, body } = await ask("/key", { "x-api-key": key });
    assert.deepEqual([status, body], [401, { error: "Invalid API key" }], key);
  }
});

testOnBothTransports(
  "a valid key is accepted, and its record and its user are in the context",
  setup,
  async (ask, { app }) => {
    const { key, record } = await app.get(ApiKeys).create("ada", { scopes: "all", name: "ci" });
    const { status, body } = await ask("/key", { "X-API-Key": key });
    assert.equal(status, 200);
    assert.deepEqual(body, { user_id: "ada", api_key: record, role: null });
    assert.equal((await ask("/key", { "x-api-key": key })).status, 200);
    await app.get(ApiKeys).revoke("ada", record.id);
    assert.deepEqual((await ask("/key", { "x-api-key": key })).body, { error: "Invalid API key" });
  },
);

testOnBothTransports("a key in a query or a cookie is ignored", setup, async (ask, { app }) => {
  const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
  const { status } = await ask(`/key?x-api-key=${key}&api_key=${key}`, { cookie: `x-api-key=${key}` });
  assert.equal(status, 401);
});

/** Routes with the outcomes that decide whether a key counts as used. */
class OutcomesController {
  routes(): Routes {
    const handlers = {
      "/ok": () => "ok",
      "/missing": (ctx: Context) => ctx.status(404).json({ error: "missing" }),
      "/failed": () => Promise.reject(new Error("failed")),
      "/returned": (ctx: Context) => ctx.status(401).json({ error: "Invalid API key" }),
      "/thrown": () => Promise.reject(new HttpError(401, "Invalid API key")),
    };
    return Object.entries(handlers).map(([path, handler]) => ({
      method: "GET" as const,
      path,
      handler,
      middlewares: [ApiKeyAuth],
    }));
  }
}

for (const [path, isUse] of [
  ["/ok", true],
  ["/missing", true],
  ["/failed", true],
  ["/returned", false],
  ["/thrown", false],
] as const) {
  test(`a request to ${path} ${isUse ? "updates" : "does not update"} the last use of its key`, () =>
    withAuth({ declarations: [OutcomesController] }, async ({ app, clock, log }) => {
      const keys = app.get(ApiKeys);
      const { key } = await keys.create("ada", { scopes: "all" });
      await app.request("GET", path, { headers: { "x-api-key": key } });
      const [record] = await keys.list("ada");
      assert.equal(record?.last_used_at, isUse ? clock.timestamp() : null);
      assert.equal(log.all.filter(({ event }) => event === "api key used").length, isUse ? 1 : 0);
    }));
}

test("a last use that cannot be stored is logged, and the response does not change", () => {
  class Forgetful extends ApiKeys {
    override noteUse(): Promise<void> {
      return Promise.reject(new StoreError("UNAVAILABLE"));
    }
  }
  const override = [provide(ApiKeys, () => new Forgetful())];
  return withAuth({ declarations: [OutcomesController], override }, async ({ app, log }) => {
    const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
    assert.equal((await app.request("GET", "/ok", { headers: { "x-api-key": key } })).status, 200);
    assert.deepEqual(log.messages("warn"), ["the last use of an API key could not be stored"]);
  });
});
