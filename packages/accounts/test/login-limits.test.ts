import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestClient } from "@tenon/core/testing";
import { password } from "./support/accounts-app.ts";
import { send, withAttackedApp } from "./support/attacked-app.ts";

const email = "ada@example.com";
const newPassword = "another horse";
type Client = Pick<TestClient, "request">;

/** The statuses of this many logins or confirmations with a wrong password. */
async function fail(client: Client, times: number, endpoint = "POST /login"): Promise<Set<number>> {
  const statuses = new Set<number>();
  const json = { email, password: "wrong horse" };
  for (let count = 0; count < times; count++) statuses.add((await send(client, endpoint, json))[0]);
  return statuses;
}

test("strangers who fail to log in do not stop a user who is logged in", () =>
  withAttackedApp({}, async ({ addUser, app, logIn }) => {
    await addUser("ada");
    const owner = await logIn("ada");
    assert.deepEqual([...(await fail(app, 21))], [401, 429]);
    assert.deepEqual(await send(owner, "POST /account/confirm", { password }), [204, null]);
    const change = { password, new_password: newPassword };
    assert.deepEqual(await send(owner, "PUT /account/password", change), [204, null]);
    assert.deepEqual([...(await fail(app, 21))], [401, 429], "the new password has cleared the count");
    const login = { email, password: newPassword };
    assert.equal((await send(owner, "POST /login", login))[0], 200, "the browser of the change is known");
  }));

test("20 wrong passwords of a user who is logged in lead to 429, confirmations and changes together", () =>
  withAttackedApp({}, async ({ addUser, logIn }) => {
    await addUser("ada");
    const thief = await logIn("ada");
    assert.deepEqual([...(await fail(thief, 10, "POST /account/confirm"))], [401]);
    const change = { password: "wrong horse", new_password: newPassword };
    for (let count = 0; count < 10; count++) {
      assert.equal((await send(thief, "PUT /account/password", change))[0], 401);
    }
    assert.equal((await send(thief, "POST /account/confirm", { password }))[0], 429);
    assert.equal((await send(thief, "PUT /account/password", { ...change, password }))[0], 429);
  }));

test("a reset ends the wait of the browser that has caused it, and browsers that knew the old password", () =>
  withAttackedApp({}, async ({ addUser, app, lastToken, logIn }) => {
    await addUser("ada");
    const [owner, thief] = [await logIn("ada"), await logIn("ada")];
    assert.deepEqual([...(await fail(owner, 21))], [401, 429]);
    await send(app, "POST /account/password-reset", { email });
    const reset = { token: await lastToken(), password: newPassword };
    assert.deepEqual(await send(owner, "POST /account/password-reset/confirm", reset), [204, null]);
    assert.equal((await send(owner, "POST /login", { email, password: newPassword }))[0], 200);
    assert.deepEqual([...(await fail(app, 21))], [401, 429]);
    assert.deepEqual([...(await fail(thief, 1))], [429], "no guesses of its own");
  }));
