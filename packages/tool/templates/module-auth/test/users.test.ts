import assert from "node:assert/strict";
import { after, test } from "node:test";
import { authModule } from "@tenon/auth";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";
import { UsersController } from "../src/users/users.controller.ts";
import { UsersService } from "../src/users/users.service.ts";

/** The routes with a database in memory, so that tests never see the data of another run. */
const data = dataModule({ database: "sqlite::memory:" });
const TestModule = defineModule({
  name: "test",
  imports: [data, authModule(data, { secret: "a secret of at least 32 bytes, for tests" })],
  declarations: [UsersController, UsersService],
});
const app = await createTestApp(TestModule, api({ errors: "issues" }));
after(() => app.stop());

const ada = { email: "ada@example.com", password: "correct horse" };

test("registers, logs in and shows the user of the token, without the password", async () => {
  const registered = await app.request("POST", "/auth/register", { json: ada });
  assert.equal(registered.status, 201);
  const user = (await registered.json()) as Record<string, unknown>; // from the service
  assert.deepEqual([user.email, user.password], [ada.email, undefined]);
  const login = await app.request("POST", "/auth/login", { json: ada });
  const { token } = (await login.json()) as { token: string }; // from the service
  const me = await app.request("GET", "/auth/me", { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual(await me.json(), user);
});

test("registers an email once, whatever its case", async () => {
  const bob = { email: "bob@example.com", password: "correct horse" };
  assert.equal((await app.request("POST", "/auth/register", { json: bob })).status, 201);
  const again = await app.request("POST", "/auth/register", { json: { ...bob, email: "Bob@example.com" } });
  assert.equal(again.status, 409);
});

test("rejects a short password, wrong credentials and a missing token", async () => {
  const short = await app.request("POST", "/auth/register", { json: { email: "eve@example.com", password: "short" } });
  assert.equal(short.status, 400);
  const wrong = await app.request("POST", "/auth/login", { json: { ...ada, password: "wrong horse" } });
  assert.deepEqual([wrong.status, await wrong.json()], [401, { error: "Invalid credentials" }]);
  assert.equal((await app.request("GET", "/auth/me")).status, 401);
});
