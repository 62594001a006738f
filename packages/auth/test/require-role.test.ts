import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiKeyAuth, ApiKeys, BearerAuth, requireRole, SessionAuth, Sessions, Tokens } from "@tenon/auth";
import type { Routes } from "@tenon/core";
import { startError } from "../../core/test/support/start-error.ts";
import { authAppModule, testOnBothTransports } from "./support/auth-app.ts";
import { mint } from "./support/jwt.ts";

class Admin {
  routes(): Routes {
    const handler = () => ({ ok: true });
    return [
      {
        path: "/admin",
        middlewares: [BearerAuth, requireRole("admin")],
        children: [{ method: "GET", path: "/users", handler }],
      },
      { method: "GET", path: "/alone", handler, middlewares: [requireRole("admin")] },
      { method: "GET", path: "/key", handler, middlewares: [ApiKeyAuth, requireRole("admin")] },
      { method: "GET", path: "/session", handler, middlewares: [SessionAuth, requireRole("admin")] },
    ];
  }
}
const setup = { declarations: [Admin] };
const forbidden = [403, { error: "Forbidden" }];

testOnBothTransports(
  "only the required role passes, and any other gets 403 Forbidden",
  setup,
  async (ask, { app, clock }) => {
    const as = async (role: string) => {
      const authorization = `Bearer ${await app.get(Tokens).issue({ id: "u", email: "u@example.com", role })}`;
      const { status, body } = await ask("/admin/users", { authorization });
      return [status, body];
    };
    assert.deepEqual(await as("admin"), [200, { ok: true }]);
    for (const role of ["user", "", "Admin", "administrator", "admin "])
      assert.deepEqual(await as(role), forbidden, role);
    const roleless = mint({ payload: { user_id: "u", exp: clock.now() / 1000 + 60 } });
    const reply = await ask("/admin/users", { authorization: `Bearer ${roleless}` });
    assert.deepEqual([reply.status, reply.body], forbidden);
  },
);

testOnBothTransports("a request without a valid token gets 401, not 403", setup, async (ask) => {
  assert.deepEqual((await ask("/admin/users")).body, { error: "Missing authorization header" });
  assert.deepEqual((await ask("/admin/users", { authorization: "Bearer x" })).body, { error: "Invalid token" });
});

testOnBothTransports(
  "requireRole without a guard that sets a role rejects every request",
  setup,
  async (ask, { app }) => {
    const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
    const session = await app.get(Sessions).create("ada");
    for (const reply of [
      await ask("/alone"),
      await ask("/key", { "x-api-key": key }),
      await ask("/session", { cookie: `session_id=${session}` }),
    ]) {
      assert.deepEqual([reply.status, reply.body], forbidden);
    }
  },
);

const users = new Map([
  ["ada", { role: "admin" }],
  ["eve", { role: "" }],
]);
const withRoles = { ...setup, auth: { findUser: () => async (userId: string) => users.get(userId) } };

testOnBothTransports(
  "SessionAuth reads the role with findUser at each request; a user without one has none",
  withRoles,
  async (ask, { app }) => {
    const as = async (user: string) => {
      const cookie = `session_id=${await app.get(Sessions).create(user)}`;
      return async () => {
        const { status, body } = await ask("/session", { cookie });
        return [status, body];
      };
    };
    const ada = await as("ada");
    assert.deepEqual(await ada(), [200, { ok: true }]);
    users.set("ada", { role: "user" }); // the session is still valid
    assert.deepEqual(await ada(), forbidden);
    users.set("ada", { role: "admin" });
    assert.deepEqual(await ada(), [200, { ok: true }]);
    assert.deepEqual(await (await as("eve"))(), forbidden);
  },
);

testOnBothTransports(
  "a failure of findUser is a 500, and the handler does not run",
  {
    ...setup,
    auth: { findUser: () => () => Promise.reject(new Error("the database is away")) },
  },
  async (ask, { app }) => {
    const cookie = `session_id=${await app.get(Sessions).create("ada")}`;
    assert.equal((await ask("/session", { cookie })).status, 500);
  },
);

test("requireRole with an empty role, which every token without a role has, stops the start", async () => {
  class Open {
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: () => 1, middlewares: [BearerAuth, requireRole("")] }];
    }
  }
  const { message } = await startError(authAppModule({ declarations: [Open] }));
  assert.match(message, /requireRole\(\) takes the name of a role/);
});
