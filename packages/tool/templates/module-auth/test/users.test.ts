import assert from "node:assert/strict";
import { after, test } from "node:test";
{% if (sessions) { -%}
import { requireRole, SessionAuth, useFastPasswords } from "@tenon/auth";
import { api, defineModule, route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { AuthModule } from "../src/auth.module.ts";
{% if (split) { -%}
import { UsersController } from "../src/users/users.controller.ts";
{% } -%}
import { UsersModule } from "../src/users/users.module.ts";
import { UsersService } from "../src/users/users.service.ts";

class AdminController {
  routes() {
    return [route.get("/for-admins", { middlewares: [SessionAuth, requireRole("admin")] }, () => "welcome")];
  }
}
const imports = [UsersModule, AuthModule];
const TestModule = defineModule({ name: "test", imports, declarations: [AdminController{%= split ? ", UsersController" : "" %}] });
{% } else { -%}
import { useFastPasswords } from "@tenon/auth";
import { api{%= split ? ", defineModule" : "" %} } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
{% if (split) { -%}
import { AuthModule } from "../src/auth.module.ts";
import { UsersController } from "../src/users/users.controller.ts";
{% } -%}
import { UsersModule } from "../src/users/users.module.ts";
{% if (split) { -%}

const TestModule = defineModule({ name: "test", imports: [UsersModule, AuthModule], declarations: [UsersController] });
{% } -%}
{% } -%}

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const config = {%= accounts ? '{ ...stores.config, mailUrl: "memory:" }' : "stores.config" %};
const app = await createTestApp({%= sessions || split ? "TestModule" : "UsersModule" %}, api({ errors: "issues" }), {
  config,
  override: [useFastPasswords()],
});
after(() => stores.stop(app));

const ada = { email: "ada@example.com", password: "correct horse" };
const registered = await app.request("POST", "/auth/register", { json: ada });

{% if (sessions) { -%}
async function login() {
  const client = app.client(); // it keeps the cookie of the session
  return { client, response: await client.request("POST", "/auth/login", { json: ada }) };
}

test("registers, logs in, shows the user of the session without the password, and logs out", async () => {
  assert.equal(registered.status, 201);
  const user = (await registered.json()) as Record<string, unknown>; // from the service
  assert.deepEqual([user.email, user.password], [ada.email, undefined]);
  const { client, response } = await login();
  assert.match(response.headers.get("set-cookie") ?? "", /^session_id=[\w-]+;.*HttpOnly/);
  for (const shown of [response, await client.request("GET", "/auth/me")]) {
    assert.deepEqual(await shown.json(), user);
  }
  assert.equal((await client.request("POST", "/auth/logout")).status, 204);
  assert.equal((await client.request("GET", "/auth/me")).status, 401);
});

test("a new role counts at once, for sessions that exist", async () => {
  const { client } = await login();
  await app.get(UsersService).setRole(ada.email, "admin");
  assert.partialDeepStrictEqual(await (await client.request("GET", "/auth/me")).json(), { role: "admin" });
  assert.equal((await client.request("GET", "/for-admins")).status, 200);
  await app.get(UsersService).setRole(ada.email, "user");
  assert.equal((await client.request("GET", "/for-admins")).status, 403);
});

test("rejects a login and a logout that a page of another site sends (CSRF)", async () => {
  for (const path of ["/auth/login", "/auth/logout"]) {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    assert.equal((await app.request("POST", path, { json: ada, headers })).status, 403);
  }
});

{% } else { -%}
test("registers, logs in and shows the user of the token, without the password", async () => {
  assert.equal(registered.status, 201);
  const user = (await registered.json()) as Record<string, unknown>; // from the service
  assert.deepEqual([user.email, user.password], [ada.email, undefined]);
  const login = await app.request("POST", "/auth/login", { json: ada });
  const { token } = (await login.json()) as { token: string }; // from the service
  const me = await app.request("GET", "/auth/me", { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual(await me.json(), user);
});

{% } -%}
test("registers an address once, whatever its case", async () => {
  const again = await app.request("POST", "/auth/register", { json: { ...ada, email: "Ada@example.com" } });
  assert.equal(again.status, 409);
});

test("rejects a short password, wrong credentials and a missing {%= sessions ? "session" : "token" %}", async () => {
  const short = await app.request("POST", "/auth/register", { json: { email: "eve@example.com", password: "short" } });
  assert.equal(short.status, 400);
  const wrong = await app.request("POST", "/auth/login", { json: { ...ada, password: "wrong horse" } });
  assert.deepEqual([wrong.status, await wrong.json()], [401, { error: "Invalid credentials" }]);
  assert.equal((await app.request("GET", "/auth/me")).status, 401);
});

test("limits the guesses of a password, also those sent concurrently", async () => {
  const json = { email: "guessed@example.com", password: "wrong horse" };
  const guesses = Array.from({ length: 60 }, () => app.request("POST", "/auth/login", { json }));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length < 40, statuses.join());
  assert.equal((await app.request("POST", "/auth/login", { json })).status, 429);
});
