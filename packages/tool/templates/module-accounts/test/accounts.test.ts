import assert from "node:assert/strict";
import { after, test } from "node:test";
import { useFastPasswords } from "@tenon/auth";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { sentMails } from "@tenon/mail/testing";
import { AccountRoutesModule } from "../src/accounts.module.ts";
{% if (split) { -%}
import { AuthModule } from "../src/auth.module.ts";
import { UsersController } from "../src/users/users.controller.ts";
{% } -%}
import { UsersModule } from "../src/users/users.module.ts";
import { toCode } from "./support/authenticator.ts";

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const config = { ...stores.config, mailUrl: "memory:" };
{% if (split) { -%}
const imports = [AuthModule, UsersModule, AccountRoutesModule];
const TestModule = defineModule({ name: "test", imports, declarations: [UsersController] });
{% } else { -%}
const TestModule = defineModule({ name: "test", imports: [UsersModule, AccountRoutesModule] });
{% } -%}
const app = await createTestApp(TestModule, api({ errors: "issues" }), { config, override: [useFastPasswords()] });
after(() => stores.stop(app));

const post = (path: string, json: object) => app.request("POST", path, { json });
const password = "correct horse";

async function register(email: string) {
  assert.equal((await post("/auth/register", { email, password })).status, 201);
}

/** A client who is logged in. */
async function login(email: string, more: object = {}) {
{% if (sessions) { -%}
  const client = app.client(); // it keeps the cookie of the session
  const response = await client.request("POST", "/auth/login", { json: { email, password, ...more } });
  return { client, response };
{% } else { -%}
  const response = await post("/auth/login", { email, password, ...more });
  const { token = "" } = (await response.clone().json()) as { token?: string }; // from the service
  return { client: app.client({ headers: { authorization: `Bearer ${token}` } }), response };
{% } -%}
}

/** The token of the link in the last mail to an address. */
async function readToken(email: string): Promise<string> {
  const mail = (await sentMails(app)).findLast(({ to }) => to.address === email);
  const token = new URL(mail?.links[0] ?? assert.fail("no link")).searchParams.get("token");
  return token ?? assert.fail("no token");
}

test("verifies the address of a new user by the link in a mail, once", async () => {
  await register("ada@example.com");
  const { client } = await login("ada@example.com");
  const state = async () => (await client.request("GET", "/account")).json();
  assert.partialDeepStrictEqual(await state(), { email: "ada@example.com", verified: false });
  const token = await readToken("ada@example.com");
  const confirm = () => client.request("POST", "/account/verification/confirm", { json: { token } });
  assert.equal((await post("/account/verification/confirm", { token })).status, 401); // the link alone is not enough
  assert.ok((await confirm()).ok);
  assert.partialDeepStrictEqual(await state(), { verified: true });
  assert.equal((await confirm()).status, 400);
});

test("lets a user who has forgotten the password choose another one, and ends older logins", async () => {
  await register("grace@example.com");
  const { client } = await login("grace@example.com");
  assert.equal((await client.request("GET", "/auth/me")).status, 200);
  for (const email of ["grace@example.com", "unknown@example.com"]) {
    assert.equal((await post("/account/password-reset", { email })).status, 202); // it does not tell who has an account
  }
  const token = await readToken("grace@example.com");
  assert.ok((await post("/account/password-reset/confirm", { token, password: "battery staple" })).ok);
  assert.equal((await client.request("GET", "/auth/me")).status, 401);
  assert.equal((await login("grace@example.com")).response.status, 401);
  assert.equal((await login("grace@example.com", { password: "battery staple" })).response.status, 200);
  assert.ok((await sentMails(app)).every(({ to }) => to.address !== "unknown@example.com"));
});

test("takes a code at the login of a user with a second factor", async () => {
  const email = "joan@example.com";
  await register(email);
  const { client } = await login(email);
  await client.request("POST", "/account/verification/confirm", { json: { token: await readToken(email) } });
  const setup = await client.request("POST", "/account/second-factor");
  const { secret } = (await setup.json()) as { secret: string }; // from the service
  const confirmed = await client.request("POST", "/account/second-factor/confirm", { json: { code: toCode(secret) } });
  const { recovery_codes } = (await confirmed.json()) as { recovery_codes: string[] }; // from the service
  const { response } = await login(email);
  assert.deepEqual([response.status, await response.json()], [401, { error: "Second factor required" }]);
  assert.equal((await login(email, { code: "000000" })).response.status, 401);
  assert.equal((await login(email, { code: recovery_codes[0] })).response.status, 200);
  assert.equal((await login(email, { code: recovery_codes[0] })).response.status, 401); // each of them once
});
{% if (sessions) { -%}

test("lists the sessions of a user, and ends the others", async () => {
  await register("edith@example.com");
  const [{ client }, { client: other }] = [await login("edith@example.com"), await login("edith@example.com")];
  const listed = (await (await client.request("GET", "/account/sessions")).json()) as { current: boolean }[]; // as declared
  assert.deepEqual(
    listed.map(({ current }) => current).sort(),
    [false, true],
  );
  assert.ok((await client.request("DELETE", "/account/sessions")).ok);
  assert.equal((await other.request("GET", "/auth/me")).status, 401);
  assert.equal((await client.request("GET", "/auth/me")).status, 200);
});
{% } -%}
