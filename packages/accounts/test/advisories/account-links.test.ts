import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { AccountUsers } from "@tenon/accounts";
import { type AnyDatabase, Database } from "@tenon/data";
import { password } from "../support/accounts-app.ts";
import { type AttackedApp, send, withAttackedApp } from "../support/attacked-app.ts";

const confirmations = [
  ["verification", "/account/verification/confirm"],
  ["reset", "/account/password-reset/confirm"],
  ["email change", "/account/email/confirm"],
] as const;

/** Causes the mail of each purpose. Returns its token. */
async function requestToken(
  { lastToken, logIn, app }: AttackedApp,
  purpose: (typeof confirmations)[number][0],
): Promise<string> {
  if (purpose === "reset") {
    assert.deepEqual(await send(app, "POST /account/password-reset", { email: "ada@example.com" }), [202, null]);
    return lastToken();
  }
  const ada = await logIn("ada");
  const isChange = purpose === "email change";
  const sent = isChange
    ? await send(ada, "POST /account/email", { email: "new@example.com" })
    : await send(ada, "POST /account/verification");
  assert.deepEqual(sent, [202, null]);
  return lastToken();
}

const badToken = [400, "Invalid or expired token"];

test("a token of one mail is refused by the endpoints of the others, and stays valid for its own", () =>
  withAttackedApp({}, async (parts) => {
    await parts.addUser("ada");
    for (const [purpose, own] of confirmations) {
      const ada = await parts.logIn("ada"); // each time: a reset ends the logins
      const token = await requestToken(parts, purpose);
      for (const [, path] of confirmations.filter(([, one]) => one !== own)) {
        assert.deepEqual(await send(ada, `POST ${path}`, { token, password }), badToken, `${purpose} at ${path}`);
      }
      assert.deepEqual(await send(ada, `POST ${own}`, { token, password }), [204, null], purpose);
    }
  }));

test("a request cannot choose what its token is for: user, address, purpose and expiry come from the server", () =>
  withAttackedApp({}, async (parts) => {
    const { addUser, app, clock, lastToken, logIn, mails } = parts;
    await addUser("ada");
    await addUser("eve");
    const wishes = {
      user_id: "ada",
      id: "ada",
      purpose: "reset",
      subject: "eve@evil.example",
      expires_at: "2999-01-01T00:00:00Z",
      redirect_to: "https://evil.example",
    };
    const eve = await logIn("eve");
    await send(eve, "POST /account/email", { ...wishes, email: "eve2@example.com" });
    const token = await lastToken();
    assert.match(token, /^[\w-]{43}$/, "256 random bits, which say nothing");
    assert.ok((await mails()).every(({ html, text }) => !`${html}${text}`.includes("evil.example")));
    const used = await send(eve, "POST /account/email/confirm", { ...wishes, email: "ada@example.com", token });
    assert.deepEqual(used, [204, null]);
    const users = app.get(AccountUsers);
    assert.equal((await users.find("eve"))?.email, "eve2@example.com");
    assert.equal((await users.find("ada"))?.email, "ada@example.com");
    await send(app, "POST /account/password-reset", { ...wishes, email: "ada@example.com" });
    const reset = await lastToken();
    clock.advance("1h");
    assert.deepEqual(await send(app, "POST /account/password-reset/confirm", { token: reset, password }), badToken);
  }));

/** Sends a request as its bytes say: `fetch` would replace the host. */
async function postFrom(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const body = JSON.stringify({ email: "ada@example.com" });
  const sent = request(`${url}/account/password-reset`, {
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", "content-length": String(body.length), ...headers },
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

test("links begin with the configured address, whatever the request says of its host (CVE-2025-70948, CVE-2026-26747, CVE-2026-15689)", () =>
  withAttackedApp({ api: { trustedProxies: ["127.0.0.1"] } }, async ({ addUser, app, mails }) => {
    await addUser("ada");
    const { url } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
    const evil: readonly Readonly<Record<string, string>>[] = [
      { host: "evil.example" },
      { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" },
      { forwarded: "host=evil.example;proto=http", "x-original-host": "evil.example", "x-host": "evil.example" },
      { origin: "https://evil.example", referer: "https://evil.example/" },
    ];
    for (const [index, headers] of evil.entries()) {
      assert.equal(await postFrom(url, headers), 202);
      const mail = (await mails())[index];
      assert.ok(mail, `no mail for ${JSON.stringify(headers)}`);
      assert.ok(!`${mail.html}${mail.text}`.includes("evil.example"));
      assert.ok(mail.links.length > 0);
      for (const link of mail.links) assert.equal(new URL(link).origin, "https://blog.example.com");
    }
  }));

test("the token of a reset is in the mail only: not in a response, a row, a job or the log (CVE-2026-26273)", () =>
  withAttackedApp({}, async ({ addUser, app, lastToken, log }) => {
    await addUser("ada");
    const response = await app.request("POST", "/account/password-reset", { json: { email: "ada@example.com" } });
    const token = await lastToken();
    const seen = JSON.stringify([await response.text(), ...response.headers]);
    assert.ok(!seen.includes(token) && seen.length < 2000);
    const db: AnyDatabase = app.get(Database);
    for (const { name } of await db.introspection.getTables()) {
      const rows = await db.selectFrom(name).selectAll().execute();
      const text = JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
      assert.ok(!text.includes(token), name);
    }
    await send(app, "POST /account/password-reset/confirm", { token, password });
    assert.ok(log.all.length > 0);
    assert.ok(!JSON.stringify(log.all).includes(token));
  }));

test("a reset link ends after an hour, with its use, and with every later change of the password (CVE-2026-18363)", () =>
  withAttackedApp({}, async ({ addUser, app, clock, lastToken, logIn }) => {
    await addUser("ada");
    const requestReset = async () => {
      await send(app, "POST /account/password-reset", { email: "ada@example.com" });
      return lastToken();
    };
    const reset = (token: string) => send(app, "POST /account/password-reset/confirm", { token, password });
    const [first, second] = [await requestReset(), await requestReset()];
    assert.notEqual(first, second);
    clock.advance(3_600_000 - 1);
    assert.deepEqual(await reset(first), [204, null]);
    assert.deepEqual(await reset(first), badToken, "it was used");
    assert.deepEqual(await reset(second), badToken, "a reset ends the older links");
    const late = await requestReset();
    clock.advance("1h");
    assert.deepEqual(await reset(late), badToken, "it has expired");
    const third = await requestReset();
    const changed = { password, new_password: "another password" };
    assert.deepEqual(await send(await logIn("ada"), "PUT /account/password", changed), [204, null]);
    assert.deepEqual(await reset(third), badToken, "the password was changed");
  }));

test("a reset goes to the address in the database, never to one that looks alike or holds another (CVE-2025-13033)", () =>
  withAttackedApp({}, async ({ addUser, app, mails }) => {
    await addUser("ada");
    const typed = [
      "ada@example.com, eve@evil.example",
      "ada@example.com\r\nBcc: eve@evil.example",
      '"ada@example.com eve"@evil.example',
      "ada@example.com (x)evil.example",
      "ada@ｅxample.com",
      "ADA@EXAMPLE.COM",
    ];
    for (const email of typed) {
      const [status] = await send(app, "POST /account/password-reset", { email });
      assert.ok(status === 202 || status === 400, `${email}: ${status}`);
    }
    assert.deepEqual(
      (await mails()).map(({ to }) => to),
      [{ address: "ada@example.com" }],
    );
  }));
