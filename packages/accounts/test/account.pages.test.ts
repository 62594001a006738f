import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountEvents, Accounts, AccountUsers } from "@tenon/accounts";
import { ApiKeys } from "@tenon/auth";
import { Authenticator } from "../../auth/test/support/authenticator.ts";
import { AccountTokens } from "../src/account-tokens.ts";
import { password } from "./support/accounts-app.ts";
import { type HttpAccounts, type ShownPage, withHttp } from "./support/http-app.ts";

/** One browser: it keeps cookies, and sends a form with the token and the address of the page before it. */
class Browser {
  readonly #client;
  #page = "";
  #csrf = "";

  constructor({ app }: HttpAccounts) {
    this.#client = app.client();
  }

  async get(path: string) {
    const response = await this.#client.request("GET", path);
    const text = await response.text();
    this.#page = path;
    this.#csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.#csrf;
    const shown = text.startsWith("{") ? (JSON.parse(text.split("<input")[0] ?? "") as ShownPage) : undefined; // by plainViews
    return { status: response.status, headers: response.headers, location: response.headers.get("location"), shown };
  }

  async submit(path: string, fields: Readonly<Record<string, string>> = {}) {
    const headers = { referer: `http://localhost${this.#page}` };
    const form = { _csrf: this.#csrf, ...fields };
    const response = await this.#client.request("POST", path, { headers, form });
    const text = await response.text();
    return { status: response.status, location: response.headers.get("location"), text };
  }

  /** Logged in as a new user. */
  static async login(parts: HttpAccounts, id: string): Promise<Browser> {
    await parts.addUser(id);
    const browser = new Browser(parts);
    await browser.get("/account/reset"); // for a token
    assert.equal((await browser.submit(`/open/${id}`)).status, 200);
    return browser;
  }
}

test("to open a link changes nothing: its button works once after that", () =>
  withHttp("web", async (parts) => {
    const browser = await Browser.login(parts, "ada");
    const user = await parts.app.get(AccountUsers).find("ada");
    assert.ok(user !== undefined);
    const tokens = parts.app.get(AccountTokens);
    const links = [
      ["verification", "/account/verify", "/account"],
      ["email change", "/account/email/confirm", "/account"],
      ["reset", "/account/reset/confirm", "/login"],
    ] as const;
    for (const [purpose, path, target] of links) {
      const owner = (await parts.app.get(AccountUsers).find("ada")) ?? user;
      const token = await tokens.create(purpose, owner, purpose === "email change" ? "new@example.com" : null);
      for (let time = 0; time < 3; time++) {
        const page = await browser.get(`${path}?token=${token}`);
        assert.deepEqual([page.status, page.shown?.data.token], [200, token]);
        assert.equal(page.headers.get("cache-control"), "no-store");
        assert.equal(page.headers.get("referrer-policy"), "same-origin");
      }
      const fields = { token, password: "another horse" };
      assert.deepEqual(pick(await browser.submit(path, fields)), [303, target], purpose);
      const again = await browser.submit(path, fields);
      if (purpose === "verification")
        assert.equal(again.location, target, "it is verified, so the link has done its work");
      else assert.ok(again.status === 400 && again.text.includes("account/invalid-link"), again.text);
    }
    assert.equal((await parts.app.get(AccountUsers).find("ada"))?.email, "new@example.com");
  }));

test("the link of a verification needs the login of its account, and survives it", () =>
  withHttp("web", async (parts) => {
    const eve = await Browser.login(parts, "eve");
    const ada = await Browser.login(parts, "ada");
    await ada.submit("/account/verification");
    const token = await parts.lastToken();
    const link = `/account/verify?token=${token}`;
    const stranger = new Browser(parts);
    assert.equal((await stranger.get(link)).location, `/login?next=${encodeURIComponent(link)}`);
    await stranger.get("/account/reset"); // for a token of forms
    assert.equal((await stranger.submit("/account/verify", { token })).status, 401);
    const refused = await eve.submit("/account/verify", { token });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /"account\/invalid-link"/);
    assert.equal(await parts.app.get(Accounts).isVerified("ada"), false);
    await ada.get(link);
    for (const press of ["first", "second"]) {
      assert.equal((await ada.submit("/account/verify", { token })).location, "/account", press);
    }
    assert.equal(await parts.app.get(Accounts).isVerified("ada"), true);
    assert.ok(parts.log.all.length > 0);
    assert.ok(!JSON.stringify(parts.log.all).includes(token));
  }));

test("a form without a CSRF token changes nothing", () =>
  withHttp("web", async (parts) => {
    const browser = await Browser.login(parts, "ada");
    assert.equal((await browser.submit("/account?_method=DELETE", { _csrf: "" })).status, 403);
    assert.ok(await parts.app.get(AccountUsers).find("ada"));
  }));

test("shows the form for a reset again, with the same text for every address", () =>
  withHttp("web", async (parts) => {
    await parts.addUser("ada");
    const texts = [];
    for (const email of ["ada@example.com", "unknown@example.com"]) {
      const browser = new Browser(parts);
      await browser.get("/account/reset");
      assert.deepEqual(pick(await browser.submit("/account/reset", { email })), [303, "/account/reset"]);
      texts.push((await browser.get("/account/reset")).shown?.flash);
    }
    assert.deepEqual(texts[0], texts[1]);
    assert.match(String(texts[0]), /If an account has this address/);
  }));

test("redirects to the login, and for sensitive pages to the password and back, on this site only", () =>
  withHttp("web", async (parts) => {
    assert.equal((await new Browser(parts).get("/account")).location, "/login?next=%2Faccount");
    const browser = await Browser.login(parts, "ada");
    parts.clock.advance(11 * 60_000);
    for (const path of ["email", "delete", "second-factor", "second-factor/setup"]) {
      const { location } = await browser.get(`/account/${path}`);
      assert.equal(location, `/account/confirm?next=${encodeURIComponent(`/account/${path}`)}`);
    }
    assert.equal(
      (await browser.submit("/account?_method=DELETE")).location,
      "/account/confirm?next=%2Faccount%2Fdelete",
    );
    await browser.get("/account/confirm?next=/account/email");
    const wrong = await browser.submit("/account/confirm", { password: "wrong horse", next: "/account/email" });
    assert.equal(wrong.location, "/account/confirm?next=/account/email");
    const { shown } = await browser.get("/account/confirm?next=/account/email");
    assert.deepEqual(
      shown?.errors.map(({ path }) => path),
      ["password"],
    );
    for (const next of ["https://evil.example/", "//evil.example", "/\\evil.example"]) {
      assert.equal((await browser.submit("/account/confirm", { password, next })).location, "/", next);
    }
    assert.equal(
      (await browser.submit("/account/confirm", { password, next: "/account/email" })).location,
      "/account/email",
    );
    assert.equal((await browser.get("/account/email")).shown?.name, "account/email");
  }));

test("shows the QR code until a code is right, and the recovery codes once", () =>
  withHttp("web", async (parts) => {
    const browser = await Browser.login(parts, "ada");
    await parts.app.get(Accounts).verifyAs("system", "ada");
    assert.equal((await browser.get("/account/second-factor/setup")).location, "/account/second-factor");
    await browser.get("/account/second-factor");
    const setup = "/account/second-factor/setup";
    assert.equal((await browser.submit("/account/second-factor")).location, setup);
    const data = (await browser.get(setup)).shown?.data;
    const secret = String(data?.secret);
    assert.match(secret, /^(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
    assert.match(String(data?.qr), /^<svg /);
    const phone = new Authenticator(secret.replaceAll(" ", ""), () => parts.clock.now());
    const path = "/account/second-factor/confirm";
    assert.equal((await browser.submit(path, { code: phone.wrongCode() })).location, setup);
    const failed = (await browser.get(setup)).shown;
    assert.deepEqual([failed?.data, failed?.errors[0]?.path], [data, "code"]); // the phone knows this secret already
    const right = await browser.submit(path, { code: phone.code() });
    const [code = ""] = /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/.exec(right.text) ?? [];
    assert.ok(code !== "", right.text);
    const later = [
      await browser.get(setup),
      await browser.get("/account/second-factor"),
      await browser.get("/account"),
    ];
    assert.doesNotMatch(JSON.stringify(later.map(({ shown }) => shown)), new RegExp(code));
    assert.deepEqual(later[1]?.shown?.data, { enabled: true, verified: true, recovery_codes_left: 10 });
  }));

test("lists the API keys of the user, revokes them, and reports both", () =>
  withHttp("web", async (parts) => {
    const { app, mails } = parts;
    const keys = app.get(ApiKeys);
    const [browser, eve] = [await Browser.login(parts, "ada"), await Browser.login(parts, "eve")];
    assert.equal((await browser.get("/account")).shown?.data.api_keys, 0);
    const { key, record } = await keys.create("ada", { name: "nightly report", scopes: ["posts:read"] });
    assert.equal((await browser.get("/account")).shown?.data.api_keys, 1);
    assert.deepEqual((await browser.get("/account/api-keys")).shown?.data.keys, [record]);
    assert.deepEqual((await eve.get("/account/api-keys")).shown?.data.keys, []);
    const path = `/account/api-keys/${record.id}?_method=DELETE`;
    assert.equal((await eve.submit(path)).status, 404);
    assert.notEqual(await keys.validate(key), undefined);
    assert.deepEqual(pick(await browser.submit(path)), [303, "/account/api-keys"]);
    assert.equal(await keys.validate(key), undefined);
    assert.equal((await browser.submit(path)).status, 404);
    const events = (await app.get(AccountEvents).list("ada")).filter(({ event }) => event.startsWith("api key"));
    assert.deepEqual(events.map(({ event, actor }) => `${event} by ${actor}`).sort(), [
      "api key created by system",
      "api key revoked by user",
    ]);
    const notices = (await mails()).map(({ to, text, links }) => {
      const [message, ...lines] = text.split(/\n+/);
      return [to.address, message, lines.find((line) => line.startsWith("If this was not you")), ...links];
    });
    const forgot = "https://blog.example.com/account/reset";
    const [created, revoked] = ["An API key was created for your account.", "An API key of your account was revoked."];
    const advice = "If this was not you, revoke the key and reset your password now:";
    assert.deepEqual(notices.sort(), [
      ["ada@example.com", revoked, "If this was not you, reset your password now:", forgot],
      ["ada@example.com", created, advice, forgot],
    ]);
  }));

test("changes the password, ends other sessions and deletes the account", () =>
  withHttp("web", async (parts) => {
    const browser = await Browser.login(parts, "ada");
    const other = new Browser(parts);
    await other.get("/account/reset");
    await other.submit("/open/ada");
    const sessions = (await browser.get("/account/sessions")).shown?.data.sessions as { current: boolean }[]; // of the view
    assert.deepEqual([sessions.length, sessions[0]?.current], [2, true]);
    assert.equal((await browser.submit("/account/sessions?_method=DELETE")).location, "/account/sessions");
    assert.equal((await other.get("/account")).location, "/login?next=%2Faccount");
    await browser.get("/account/password");
    const fields = { password, new_password: "another horse", user_id: "eve" };
    assert.equal((await browser.submit("/account/password", fields)).location, "/account");
    assert.match(String((await browser.get("/account")).shown?.flash), /password is changed/);
    await browser.get("/account/delete");
    assert.equal((await browser.submit("/account?_method=DELETE")).location, "/");
    assert.equal(await parts.app.get(AccountUsers).find("ada"), undefined);
    assert.equal((await browser.get("/account")).location, "/login?next=%2Faccount");
  }));

function pick({ status, location }: { readonly status: number; readonly location: string | null }) {
  return [status, location];
}
