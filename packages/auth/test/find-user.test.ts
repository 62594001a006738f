import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiKeyAuth,
  ApiKeys,
  BearerAuth,
  OptionalBearerAuth,
  SessionAuth,
  Sessions,
  sessionCookie,
  Tokens,
} from "@tenon/auth";
import type { Routes } from "@tenon/core";
import { testOnBothTransports, withAuth } from "./support/auth-app.ts";
import { mint } from "./support/jwt.ts";

class Guarded {
  handled = 0;

  routes(): Routes {
    const handler = () => {
      this.handled++;
      return { ok: true };
    };
    return [
      { method: "GET", path: "/bearer", handler, middlewares: [BearerAuth] },
      { method: "GET", path: "/optional", handler, middlewares: [OptionalBearerAuth] },
      { method: "GET", path: "/session", handler, middlewares: [SessionAuth] },
      { method: "GET", path: "/key", handler, middlewares: [ApiKeyAuth] },
    ];
  }
}
const users = new Set<string>();
const findUser = () => async (id: string) => (users.has(id) ? { id } : undefined);
const setup = { declarations: [Guarded], auth: { findUser } };

testOnBothTransports("no credential of a deleted user reaches a handler", setup, async (ask, { app, clock }) => {
  const user = { id: crypto.randomUUID(), email: "ada@example.com", role: "" };
  users.add(user.id);
  const minted = mint({ payload: { user_id: user.id, email: user.email, exp: clock.now() / 1000 + 3600 } });
  const authorization = `Bearer ${await app.get(Tokens).issue(user)}`;
  const { key, record } = await app.get(ApiKeys).create(user.id, { scopes: "all" });
  const requests = [
    ["/bearer", { authorization }, "Invalid token"],
    ["/bearer", { authorization: `Bearer ${minted}` }, "Invalid token"],
    ["/optional", { authorization }, "Invalid token"],
    ["/session", { cookie: `${sessionCookie}=${await app.get(Sessions).create(user.id)}` }, "Invalid session"],
    ["/key", { "x-api-key": key }, "Invalid API key"],
  ] as const;
  const { handled } = app.get(Guarded);
  for (const [path, headers] of requests) assert.equal((await ask(path, headers)).status, 200, path);
  assert.equal(app.get(Guarded).handled, handled + requests.length);
  const used = (await app.get(ApiKeys).list(user.id))[0]?.last_used_at;
  clock.advance("2m");
  users.delete(user.id);
  for (const [path, headers, error] of requests) {
    const { status, body } = await ask(path, headers);
    assert.deepEqual([status, body], [401, { error }], path);
  }
  assert.equal((await ask("/optional")).status, 200, "guests pass");
  assert.equal(app.get(Guarded).handled, handled + requests.length + 1);
  assert.deepEqual([record.last_used_at, (await app.get(ApiKeys).list(user.id))[0]?.last_used_at], [null, used]);
});

test("without findUser nothing is read, and the credentials of any user are valid", () =>
  withAuth({ declarations: [Guarded] }, async ({ app }) => {
    const token = await app.get(Tokens).issue({ id: "gone", email: "gone@example.com", role: "" });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await app.fetch(new Request("http://localhost/bearer", { headers }))).status, 200);
  }));
