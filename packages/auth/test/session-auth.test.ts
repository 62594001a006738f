import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { SessionAuth, Sessions, sessionCookie } from "@tenon/auth";
import type { Context, Routes } from "@tenon/core";
import { testOnBothTransports } from "./support/auth-app.ts";

class Guarded {
  routes(): Routes {
    return [{ method: "GET", path: "/me", handler: this.me, middlewares: [SessionAuth] }];
  }

  me(ctx: Context) {
    return { user_id: ctx.get("user_id"), role: ctx.get("user_role") ?? null };
  }
}
const setup = { declarations: [Guarded] };

testOnBothTransports("a request without a cookie gets 401 Not authenticated", setup, async (ask) => {
  for (const headers of [
    {},
    { cookie: "" },
    { cookie: "session_id=" },
    { cookie: "other=1" },
    { cookie: "Session_id=x" },
  ]) {
    const { status, body } = await ask("/me", headers);
    assert.deepEqual([status, body], [401, { error: "Not authenticated" }], JSON.stringify(headers));
  }
});

testOnBothTransports("an unknown session gets 401 Invalid session and is not adopted", setup, async (ask, { app }) => {
  const own = randomUUID();
  for (const id of ["x", own, "null", "x".repeat(3000)]) {
    const { status, body } = await ask("/me", { cookie: `session_id=${id}` });
    assert.deepEqual([status, body], [401, { error: "Invalid session" }], id);
  }
  assert.equal(await app.get(Sessions).find(own), undefined);
});

testOnBothTransports(
  "a session is valid until it expires, and user_id is in the context",
  setup,
  async (ask, { app, clock }) => {
    const id = await app.get(Sessions).create("ada");
    const headers = { cookie: `${sessionCookie}=${id}` };
    const { status, body } = await ask("/me", headers);
    assert.deepEqual([status, body], [200, { user_id: "ada", role: null }]);
    clock.advance("86399s");
    assert.equal((await ask("/me", headers)).status, 200);
    clock.advance("1s");
    assert.deepEqual((await ask("/me", headers)).body, { error: "Invalid session" });
  },
);

testOnBothTransports("the cookie of a destroyed session is refused", setup, async (ask, { app }) => {
  const id = await app.get(Sessions).create("ada");
  await app.get(Sessions).destroy(id);
  assert.deepEqual((await ask("/me", { cookie: `session_id=${id}` })).body, { error: "Invalid session" });
});
