import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountUsers } from "@tenon/accounts";
import { Authenticator } from "../../auth/test/support/authenticator.ts";
import { password } from "./support/accounts-app.ts";
import { type HttpAccounts, withHttp } from "./support/http-app.ts";

/** A client that is logged in as a new user. */
async function login({ app, addUser }: HttpAccounts, id: string) {
  await addUser(id);
  const client = app.client();
  await client.request("POST", `/open/${id}`);
  return client;
}

/** Verified by the mail, which the user asks for. */
async function loginVerified(parts: HttpAccounts, id: string) {
  const client = await login(parts, id);
  assert.equal((await client.request("POST", "/account/verification")).status, 202);
  const token = await parts.lastToken();
  const confirmed = await client.request("POST", "/account/verification/confirm", { json: { token } });
  assert.equal(confirmed.status, 204);
  return client;
}

test("responds to a request for a reset the same for every address", () =>
  withHttp("api", async ({ app, addUser, mails }) => {
    await addUser("ada");
    const responses = await Promise.all(
      ["ada@example.com", "unknown@example.com"].map(async (email) => {
        const response = await app.request("POST", "/account/password-reset", { json: { email } });
        return [response.status, await response.text(), [...response.headers.keys()]];
      }),
    );
    assert.equal(responses[0]?.[0], 202);
    assert.deepEqual(responses[0], responses[1]);
    assert.deepEqual(
      (await mails()).map(({ to }) => to.address),
      ["ada@example.com"],
    );
  }));

test("takes the user from the guard or the token, never from the body", () =>
  withHttp("api", async (parts) => {
    const { app, addUser } = parts;
    await addUser("victim");
    const before = await app.get(AccountUsers).find("victim");
    const client = await loginVerified(parts, "eve");
    const other = { user_id: "victim", id: "victim", email: "victim@example.com" };
    const json = { ...other, password, new_password: "another horse" };
    assert.equal((await client.request("PUT", "/account/password", { json })).status, 204);
    assert.equal((await client.request("POST", "/account/second-factor", { json: other })).status, 200);
    assert.deepEqual(await app.get(AccountUsers).find("victim"), before);
    await client.request("DELETE", "/account", { json: other });
    assert.deepEqual(await app.get(AccountUsers).find("victim"), before);
    assert.equal(await app.get(AccountUsers).find("eve"), undefined);
  }));

test("a reset token is valid once, and ends the logins", () =>
  withHttp("api", async (parts) => {
    const client = await login(parts, "ada");
    await parts.app.request("POST", "/account/password-reset", { json: { email: "ada@example.com" } });
    const json = { token: await parts.lastToken(), password: "another horse" };
    assert.equal((await parts.app.request("POST", "/account/password-reset/confirm", { json })).status, 204);
    const again = await parts.app.request("POST", "/account/password-reset/confirm", { json });
    assert.deepEqual([again.status, await again.json()], [400, { error: "Invalid or expired token" }]);
    assert.equal((await client.request("GET", "/account")).status, 401);
  }));

test("a change of the password needs the current one, and keeps the session of the request", () =>
  withHttp("api", async (parts) => {
    const client = await login(parts, "ada");
    const other = parts.app.client();
    await other.request("POST", "/open/ada");
    const json = { password: "wrong horse", new_password: "another horse" };
    assert.equal((await client.request("PUT", "/account/password", { json })).status, 401);
    const long = await client.request("PUT", "/account/password", { json: { password, new_password: "é".repeat(40) } });
    assert.equal(long.status, 400);
    assert.equal((await client.request("PUT", "/account/password", { json: { ...json, password } })).status, 204);
    assert.equal((await client.request("GET", "/account")).status, 200);
    assert.equal((await other.request("GET", "/account")).status, 401);
  }));

test("sensitive endpoints need a recent login, which the password makes", () =>
  withHttp("api", async (parts) => {
    const client = await login(parts, "ada");
    parts.clock.advance(11 * 60_000);
    const json = { email: "new@example.com" };
    const refused = await client.request("POST", "/account/email", { json });
    assert.deepEqual([refused.status, await refused.json()], [403, { error: "Recent login required" }]);
    for (const [method, path] of [
      ["DELETE", "/account"],
      ["POST", "/account/second-factor"],
      ["DELETE", "/account/second-factor"],
      ["POST", "/account/second-factor/recovery-codes"],
    ] as const) {
      assert.equal((await client.request(method, path)).status, 403, `${method} ${path}`);
    }
    const wrong = await client.request("POST", "/account/confirm", { json: { password: "wrong horse" } });
    assert.equal(wrong.status, 401);
    assert.equal((await client.request("POST", "/account/confirm", { json: { password } })).status, 204);
    assert.equal((await client.request("POST", "/account/email", { json })).status, 202);
    const token = await parts.lastToken();
    assert.equal((await client.request("POST", "/account/email/confirm", { json: { token } })).status, 204);
    assert.partialDeepStrictEqual(await (await client.request("GET", "/account")).json(), { ...json, verified: true });
  }));

test("lists and ends sessions of the user only", () =>
  withHttp("api", async (parts) => {
    const ada = await login(parts, "ada");
    const eve = await login(parts, "eve");
    const list = async (client: typeof ada) =>
      (await (await client.request("GET", "/account/sessions")).json()) as { id: string; current: boolean }[]; // its contract
    const [session] = await list(ada);
    assert.equal(session?.current, true);
    assert.equal((await eve.request("DELETE", `/account/sessions/${session?.id}`)).status, 404);
    const second = parts.app.client();
    await second.request("POST", "/open/ada");
    assert.equal((await ada.request("DELETE", "/account/sessions")).status, 204);
    assert.equal((await second.request("GET", "/account")).status, 401);
    const [left] = await list(ada);
    assert.equal((await ada.request("DELETE", `/account/sessions/${left?.id}`)).status, 204);
    assert.equal((await ada.request("GET", "/account")).status, 401);
  }));

test("enables a second factor by a code, ends the other logins, and asks for a code from then on", () =>
  withHttp("api", async (parts) => {
    const unverified = await login(parts, "eve");
    assert.equal((await unverified.request("POST", "/account/second-factor")).status, 403);
    const client = await loginVerified(parts, "ada");
    const begun = await client.request("POST", "/account/second-factor");
    const { secret, qr } = (await begun.json()) as { secret: string; qr: string }; // its contract
    assert.match(qr, /^<svg /);
    assert.equal(begun.headers.get("cache-control"), "no-store");
    const phone = new Authenticator(secret, () => parts.clock.now());
    const path = "/account/second-factor/confirm";
    const other = parts.app.client();
    await other.request("POST", "/open/ada");
    assert.equal((await client.request("POST", path, { json: { code: phone.wrongCode() } })).status, 400);
    assert.equal((await other.request("GET", "/account")).status, 200);
    const enabled = await client.request("POST", path, { json: { code: phone.code() } });
    const { recovery_codes } = (await enabled.json()) as { recovery_codes: string[] }; // its contract
    assert.equal(new Set(recovery_codes).size, 10);
    assert.equal((await other.request("GET", "/account")).status, 401);
    const state = await (await client.request("GET", "/account")).json();
    assert.partialDeepStrictEqual(state, { second_factor: true, recovery_codes_left: 10 });
    const withoutCode = await client.request("POST", "/account/confirm", { json: { password } });
    assert.deepEqual([withoutCode.status, await withoutCode.json()], [401, { error: "Second factor required" }]);
    const json = { password, code: recovery_codes[0] };
    assert.equal((await client.request("POST", "/account/confirm", { json })).status, 204);
    assert.equal((await client.request("DELETE", "/account/second-factor")).status, 204);
  }));
