import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiKeyAuth, ApiKeys, BearerAuth, Passwords, RefreshTokens, SessionAuth, Sessions, Tokens } from "@tenon/auth";
import { type Context, inject, type Routes } from "@tenon/core";
import { secret, withAuth } from "./support/auth-app.ts";

/** Throws errors that carry every secret, so that only the redaction of the log keeps them out. */
class Careless {
  readonly #passwords = inject(Passwords);

  routes(): Routes {
    return [
      { method: "GET", path: "/bearer", handler: this.fail, middlewares: [BearerAuth] },
      { method: "GET", path: "/session", handler: this.fail, middlewares: [SessionAuth] },
      { method: "GET", path: "/key", handler: this.fail, middlewares: [ApiKeyAuth] },
      { method: "GET", path: "/password", handler: () => this.#passwords.hash("x".repeat(100)) },
    ];
  }

  fail(ctx: Context): never {
    ctx.log.info({ headers: ctx.request().headers() });
    throw new Error("failed");
  }
}

test("created, used and revoked keys and reused tokens are logged, with their users and without any secret", () =>
  withAuth({ declarations: [Careless] }, async ({ app, log }) => {
    const keys = app.get(ApiKeys);
    const refreshTokens = app.get(RefreshTokens);
    const password = "correct horse battery staple";
    const stored = await app.get(Passwords).hash(password);
    await app.get(Passwords).matches(password, stored);
    const { key, record } = await keys.create("ada", { scopes: "all", name: "ci" });
    const token = await app.get(Tokens).issue({ id: "ada", email: "ada@example.com", role: "user" });
    const session = await app.get(Sessions).create("ada");
    const refresh = await refreshTokens.generate("ada");
    const renewed = (await refreshTokens.refresh(refresh))?.refreshToken ?? "";
    await refreshTokens.refresh(refresh);

    for (const [path, headers, status] of [
      ["/bearer", { authorization: `Bearer ${token}` }, 500],
      ["/session", { cookie: `session_id=${session}` }, 500],
      ["/key", { "x-api-key": key }, 500],
      ["/password", {}, 400],
    ] as const) {
      assert.equal((await app.request("GET", path, { headers })).status, status);
    }
    assert.equal((await app.request("GET", "/bearer", { headers: { authorization: `Bearer ${token}x` } })).status, 401);
    assert.equal((await app.request("GET", "/key", { headers: { "x-api-key": `${key}x` } })).status, 401);
    assert.equal((await app.request("GET", "/session", { headers: { cookie: `session_id=${refresh}` } })).status, 401);
    await keys.revoke("ada", record.id);
    await app.get(Sessions).destroy(session);
    await refreshTokens.revoke(renewed);

    const events = log.all
      .filter((line) => line.event !== undefined)
      .map(({ event, user_id, key_id }) => ({ event, user_id, key_id }));
    assert.deepEqual(events, [
      { event: "api key created", user_id: "ada", key_id: record.id },
      { event: "refresh token reused", user_id: "ada", key_id: undefined },
      { event: "api key used", user_id: "ada", key_id: record.id },
      { event: "api key revoked", user_id: "ada", key_id: record.id },
    ]);

    const text = JSON.stringify(log.all);
    assert.ok(text.includes("failed") && text.includes("/session"), "the log holds the requests");
    const secrets = { password, stored, key, token, session, refresh, renewed, secret, long: "x".repeat(100) };
    for (const [name, value] of Object.entries(secrets)) {
      assert.ok(value.length > 20, name);
      assert.ok(!text.includes(value), `the ${name} is in the log`);
    }
    assert.ok(!text.includes(key.slice(4)) && !text.includes(token.split(".")[2] ?? ""), "nor a part of one");
  }));
