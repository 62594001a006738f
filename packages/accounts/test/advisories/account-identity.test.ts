import assert from "node:assert/strict";
import { test } from "node:test";
import { Accounts, AccountUsers } from "@tenon/accounts";
import { ApiKeyAuth, SecondFactor, Sessions } from "@tenon/auth";
import { enableFactor } from "../../../auth/test/support/authenticator.ts";
import { password } from "../support/accounts-app.ts";
import { send, withAttackedApp } from "../support/attacked-app.ts";

test("the reset of an account that a stranger has registered ends everything that the stranger has set up", () =>
  withAttackedApp({}, async ({ addUser, app, lastToken, logIn, mails }) => {
    await addUser("victim"); // by the stranger, with the stranger's password
    const stranger = await logIn("victim");
    const [, login] = await send(app, "POST /login", { email: "victim@example.com", password });
    const [, created] = await send(stranger, "POST /keys");
    const { key } = created as { readonly key: string }; // of LoginController
    assert.deepEqual(await send(stranger, "POST /account/second-factor"), [403, "E-mail address not verified"]);
    await enableFactor(app.get(SecondFactor), "victim"); // as if it had been possible
    await send(stranger, "POST /account/email", { email: "stranger@example.com" });
    const change = await lastToken();
    await send(stranger, "POST /account/email", { email: "stranger2@example.com" }); // its mail is made after the reset

    await send(app, "POST /account/password-reset", { email: "victim@example.com" });
    const token = await lastToken();
    const reset = { token, password: "password of the victim" };
    assert.deepEqual(await send(app, "POST /account/password-reset/confirm", reset), [204, null]);

    assert.deepEqual(await send(stranger, "GET /account"), [401, "Invalid session"]);
    assert.deepEqual(await send(app, "POST /refresh", login), [401, "invalid refresh token"]);
    assert.deepEqual(await send(app, "GET /report", undefined, { "x-api-key": key }), [401, "Invalid API key"]);
    assert.equal((await send(app, "POST /login", { email: "victim@example.com", password }))[0], 401);
    const victim = { email: "victim@example.com", password: "password of the victim" };
    const owner = app.client();
    assert.equal((await send(owner, "POST /login", victim))[0], 200, "no second factor of the stranger is left");
    assert.equal((await send(owner, "POST /account/email/confirm", { token: change }))[0], 400);
    assert.ok((await mails()).length > 0);
    assert.equal((await app.get(AccountUsers).find("victim"))?.email, "victim@example.com");
  }));

test("the owner of an address cannot verify an account that a stranger has registered, and the stranger gets no further", () =>
  withAttackedApp({}, async ({ addUser, app, lastToken, logIn }) => {
    await addUser("victim"); // by the stranger, with the stranger's password
    const stranger = await logIn("victim");
    await send(stranger, "POST /account/verification");
    const confirm = { token: await lastToken() };
    await addUser("ada"); // the account that the victim has, with another address
    const endpoint = "POST /account/verification/confirm";
    assert.deepEqual(await send(app, endpoint, confirm), [401, "Not authenticated"]);
    assert.deepEqual(await send(await logIn("ada"), endpoint, confirm), [400, "Invalid or expired token"]);
    assert.deepEqual(await send(stranger, "POST /account/second-factor"), [403, "E-mail address not verified"]);
    const [, created] = await send(stranger, "POST /keys");
    const { key } = created as { readonly key: string }; // of LoginController

    await send(app, "POST /account/password-reset", { email: "victim@example.com" });
    await send(app, "POST /account/password-reset/confirm", { token: await lastToken(), password: "of the victim" });
    assert.deepEqual(await send(app, "GET /report", undefined, { "x-api-key": key }), [401, "Invalid API key"]);
  }));

/** All endpoints that act for the user of a login. */
const own = [
  "GET /account",
  "POST /account/verification",
  "POST /account/verification/confirm",
  "PUT /account/password",
  "POST /account/email",
  "POST /account/confirm",
  "GET /account/sessions",
  "DELETE /account/sessions",
  "POST /account/second-factor",
  "POST /account/second-factor/confirm",
  "POST /account/second-factor/recovery-codes",
  "DELETE /account/second-factor",
  "DELETE /account",
];

test("the user is the one of the login, never one that a body, a query or a header names (CVE-2025-61928)", () =>
  withAttackedApp({}, async ({ addUser, app, logIn, mails }) => {
    for (const id of ["ada", "eve"]) {
      await addUser(id);
      await app.get(Accounts).verifyAs("system", id);
    }
    const { phone } = await enableFactor(app.get(SecondFactor), "ada");
    const session = await app.get(Sessions).create("ada");
    const target = { user_id: "ada", userId: "ada", id: "ada", user: { id: "ada" }, account: "ada@example.com" };
    const body = {
      ...target,
      token: "x",
      email: "eve2@example.com",
      password,
      new_password: password,
      code: phone.code(),
    };
    const query = "?user_id=ada&userId=ada&id=ada";
    const headers = { "x-user-id": "ada", "x-user": "ada" };
    for (const endpoint of own) {
      const json = endpoint.startsWith("GET") ? undefined : body;
      assert.equal((await send(app, `${endpoint}${query}`, json, headers))[0], 401, `${endpoint} without a login`);
    }
    const before = (await mails()).length;
    const entry = app.get(Sessions).idOf(session);
    for (const endpoint of [`DELETE /account/sessions/${entry}`, ...own]) {
      const eve = await logIn("eve");
      const json = endpoint.startsWith("GET") ? undefined : body;
      const [status, response] = await send(eve, `${endpoint}${query}`, json, headers);
      assert.ok(status < 500 && !/"ada["@]/.test(JSON.stringify(response)), `${endpoint}: ${status}`);
    }
    assert.equal(await app.get(AccountUsers).find("eve"), undefined, "eve has deleted her own account");
    const { email, second_factor } = (await app.get(Accounts).state("ada")) ?? {};
    assert.deepEqual([email, second_factor], ["ada@example.com", true]);
    assert.notEqual(await app.get(Sessions).find(session), undefined);
    assert.ok((await mails()).slice(before).every(({ to }) => to.address !== "ada@example.com"));
  }));

test("an API key cannot change the second factor, the address or the account, even where the guard accepts keys (CVE-2026-72822)", () =>
  withAttackedApp({ guard: ApiKeyAuth }, async ({ addUser, app, logIn }) => {
    await addUser("ada");
    await app.get(Accounts).verifyAs("system", "ada");
    const [, created] = await send(await logIn("ada"), "POST /keys");
    const { key } = created as { readonly key: string }; // of LoginController
    const asKey = (endpoint: string, json?: unknown) => send(app, endpoint, json, { "x-api-key": key });
    assert.equal((await asKey("GET /account"))[0], 200);
    const { phone } = await enableFactor(app.get(SecondFactor), "ada");
    const sensitive = [
      "DELETE /account/second-factor",
      "POST /account/second-factor/recovery-codes",
      "POST /account/second-factor",
      "DELETE /account",
    ];
    for (const endpoint of sensitive) assert.deepEqual(await asKey(endpoint), [403, "Recent login required"], endpoint);
    assert.deepEqual(await asKey("POST /account/email", { email: "eve@example.com" }), [403, "Recent login required"]);
    const confirmed = await asKey("POST /account/confirm", { password, code: phone.code() });
    assert.ok(confirmed[0] >= 400, "a key cannot be confirmed");
    assert.equal((await asKey("DELETE /account/second-factor"))[0], 403);
    assert.equal(await app.get(SecondFactor).isEnabled("ada"), true);
  }));
