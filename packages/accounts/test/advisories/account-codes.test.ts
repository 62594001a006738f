import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { AccountEvents, Accounts } from "@tenon/accounts";
import { SecondFactor } from "@tenon/auth";
import { enableFactor } from "../../../auth/test/support/authenticator.ts";
import { withFolder } from "../../../data/test/support/services.ts";
import { password } from "../support/accounts-app.ts";
import { type AttackedApp, send, withAttackedApp } from "../support/attacked-app.ts";

/** A user with a verified address and a second factor. */
async function addWithFactor({ addUser, app, clock }: AttackedApp, id: string) {
  await addUser(id);
  await app.get(Accounts).verifyAs("system", id);
  return enableFactor(app.get(SecondFactor), id, () => clock.now());
}

const required = [401, "Second factor required"];

test("no way in by a password leaves out the second factor: login, confirmation, reset, change (CVE-2026-73535)", () =>
  withAttackedApp({}, async (parts) => {
    const { app, clock, lastToken, logIn } = parts;
    const { phone } = await addWithFactor(parts, "ada");
    const credentials = { email: "ada@example.com", password };
    assert.deepEqual(await send(app, "POST /login", credentials), required);
    for (const code of ["", phone.wrongCode(), "null", "0"]) {
      const [status, error] = await send(app, "POST /login", { ...credentials, code });
      assert.equal(status, 401, `"${code}": ${error}`);
    }
    const ada = await logIn("ada", phone.code());
    clock.advance("11m");
    const sensitive = [
      "DELETE /account/second-factor",
      "DELETE /account",
      "POST /account/second-factor/recovery-codes",
    ];
    const assertRefused = async (when: string) => {
      for (const endpoint of sensitive)
        assert.deepEqual(await send(ada, endpoint), [403, "Recent login required"], `${endpoint} ${when}`);
    };
    await assertRefused("after 11 minutes");
    assert.deepEqual(await send(ada, "POST /account/confirm", { password }), required);
    await assertRefused("after the password without a code");
    const [status] = await send(ada, "PUT /account/password", { password, new_password: "another password" });
    await assertRefused(`after a change of the password without a code, which was ${status}`);
    await send(app, "POST /account/password-reset", { email: "ada@example.com" });
    const reset = { token: await lastToken(), password };
    const response = await app.request("POST", "/account/password-reset/confirm", { json: reset });
    assert.deepEqual([response.status, response.headers.getSetCookie()], [204, []], "a reset is not a login");
    assert.deepEqual(await send(app, "POST /login", credentials), required, "a reset keeps the second factor");
    assert.equal((await send(app, "POST /login", { ...credentials, code: phone.code() }))[0], 200);
  }));

test("a code of the app is accepted once, at whichever endpoint (CVE-2026-103655)", () =>
  withAttackedApp({}, async (parts) => {
    const { phone } = await addWithFactor(parts, "ada");
    const code = phone.code();
    const ada = await parts.logIn("ada", code);
    const login = { email: "ada@example.com", password, code };
    assert.deepEqual(await send(parts.app, "POST /login", login), [401, "Invalid credentials"]);
    assert.deepEqual(await send(ada, "POST /account/confirm", { password, code }), [401, "Invalid credentials"]);
    assert.deepEqual(await send(ada, "POST /account/confirm", { password, code: phone.code(1) }), [204, null]);
  }));

test("wrong codes are counted in the store: new cookies, addresses and instances do not help (CVE-2026-78655)", () =>
  withFolder((folder) => {
    const setup = {
      data: { database: `sqlite:${join(folder, "app.db")}` },
      api: { trustedProxies: ["0.0.0.0/0", "::/0"] },
    };
    return withAttackedApp(setup, (one) =>
      withAttackedApp(setup, async (two) => {
        const { phone } = await addWithFactor(one, "ada");
        const guess = (instance: number, code: string) => {
          const client = (instance % 2 === 0 ? one : two).app.client(); // without cookies
          const headers = { "x-forwarded-for": `203.0.113.${instance}` };
          return send(client, "POST /login", { email: "ada@example.com", password, code }, headers);
        };
        const statuses: number[] = [];
        for (let count = 0; count < 7; count++) statuses.push((await guess(count, phone.wrongCode()))[0]);
        assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
        assert.equal((await guess(8, phone.code()))[0], 429, "the right code too, until the 5 minutes are over");
      }),
    );
  }));

test("who knows the password and guesses codes is reported to the owner, whom a reset lets in again", () =>
  withAttackedApp({}, async (parts) => {
    const { app, lastToken, logIn, mails } = parts;
    const { phone, recoveryCodes } = await addWithFactor(parts, "ada");
    const email = "ada@example.com";
    const guess = async () => (await send(app, "POST /login", { email, password, code: phone.wrongCode() }))[0];
    for (let count = 0; count < 4; count++) assert.equal(await guess(), 401);
    const before = (await mails()).length;
    assert.deepEqual([await guess(), await guess(), await guess()], [401, 429, 429]);
    const notices = (await mails()).slice(before).map(({ to, text }) => [to.address, text.split("\n", 1)[0]]);
    const message = "Five wrong codes of your second factor were entered, each with your password.";
    assert.deepEqual(notices, [[email, message]]);
    assert.ok((await app.get(AccountEvents).list("ada")).some(({ event }) => event === "wrong codes"));
    await send(app, "POST /account/password-reset", { email });
    const reset = { token: await lastToken(), password: "another horse" };
    assert.deepEqual(await send(app, "POST /account/password-reset/confirm", reset), [204, null]);
    const login = { email, password: reset.password, code: recoveryCodes[0] };
    assert.equal((await send(app, "POST /login", login))[0], 200);
    await assert.rejects(logIn("ada"), /401/, "the old password");
  }));

test("20 other notices in an hour do not keep back those of a changed address and a deleted account", () =>
  withAttackedApp({}, async (parts) => {
    const { lastToken, logIn, mails } = parts;
    const { phone } = await addWithFactor(parts, "ada");
    const thief = await logIn("ada", phone.code());
    const renew = "POST /account/second-factor/recovery-codes";
    for (let count = 0; count < 5; count++) assert.equal((await send(thief, renew))[0], 200);
    assert.deepEqual(await send(thief, renew), [429, "Too Many Requests"]);
    for (let count = 0; count < 20; count++) {
      const change = { password, new_password: password };
      assert.equal((await send(thief, "PUT /account/password", change))[0], 204);
    }
    await send(thief, "POST /account/email", { email: "thief@example.com" });
    assert.deepEqual(await send(thief, "POST /account/email/confirm", { token: await lastToken() }), [204, null]);
    const noticesTo = async (address: string) =>
      (await mails()).filter(({ to }) => to.address === address).map(({ text }) => text.split("\n", 1)[0]);
    const [requested, changed] = (await noticesTo("ada@example.com")).slice(-2);
    assert.equal(requested, "A change of the e-mail address of your account was requested.");
    assert.equal(changed, "The e-mail address of your account was changed to another one.");
    assert.equal((await noticesTo("ada@example.com")).length, 22, "20 in an hour, and these");
    for (let count = 0; count < 20; count++) {
      assert.equal((await send(thief, "PUT /account/password", { password, new_password: password }))[0], 204);
    }
    assert.deepEqual(await send(thief, "DELETE /account"), [204, null]);
    assert.equal((await noticesTo("thief@example.com")).at(-1), "Your account was deleted.");
  }));

test("a recovery code of another user is refused, also where the ids are equal as numbers (CVE-2026-78619)", () =>
  withAttackedApp({}, async (parts) => {
    const owner = await addWithFactor(parts, "1");
    const [code = ""] = owner.recoveryCodes;
    for (const id of ["01", "1.0", "1e0", "0x1"]) {
      await addWithFactor(parts, id);
      const login = { email: `${id}@example.com`, password, code };
      assert.deepEqual(await send(parts.app, "POST /login", login), [401, "Invalid credentials"], id);
    }
    await parts.logIn("1", code);
    await assert.rejects(parts.logIn("1", code), /401/, "a recovery code works once");
  }));
