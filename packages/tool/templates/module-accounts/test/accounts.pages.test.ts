import assert from "node:assert/strict";
import { after, test } from "node:test";
import { useFastPasswords } from "@tenon/auth";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { sentMails } from "@tenon/mail/testing";
import { {%= root.moduleName %} } from "../{%= root.moduleFile %}";
import { {%= root.platformName %} } from "../{%= root.platformFile %}";
import { toCode } from "./support/authenticator.ts";

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const config = { ...stores.config, mailUrl: "memory:" };
const app = await createTestApp({%= root.moduleName %}, {%= root.platformName %}(), { config, override: [useFastPasswords()] });
after(() => stores.stop(app));

const password = "correct horse";

/** Opens pages and submits forms with the cookies of one browser. */
class Visitor {
  readonly client = app.client();

  async get(path: string) {
    const response = await this.client.request("GET", path);
    const [, session = ""] = /tenon_session=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
    const location = response.headers.get("location") ?? "";
    return { status: response.status, location, html: await response.text(), session };
  }

  /** Submits a form of a page. Its path is that of the page, unless `action` names another. */
  async submit(page: string, fields: Readonly<Record<string, string>> = {}, action = page) {
    const [, token = ""] = /name="_csrf" value="([^"]+)"/.exec((await this.get(page)).html) ?? [];
    const headers = { referer: `http://localhost${page}` };
    const response = await this.client.request("POST", action, { headers, form: { _csrf: token, ...fields } });
    return { location: response.headers.get("location") ?? "", html: await response.text() };
  }
}

async function register(email: string): Promise<Visitor> {
  const visitor = new Visitor();
  assert.equal((await visitor.submit("/register", { email, password })).location, "/");
  return visitor;
}

/** The page of the link in the last mail to an address, and its token. */
async function readLink(email: string) {
  const mail = (await sentMails(app)).findLast(({ to }) => to.address === email);
  const { pathname, search, searchParams } = new URL(mail?.links[0] ?? assert.fail("no link"));
  return { page: pathname + search, path: pathname, token: searchParams.get("token") ?? "" };
}

async function verify(email: string, visitor: Visitor): Promise<void> {
  const { page, path, token } = await readLink(email);
  await visitor.submit(page, { token }, path);
}

test("verifies the address of a new user by the button of the page that the mail links", async () => {
  const visitor = await register("ada@example.com");
  assert.match((await visitor.get("/account")).html, /not verified/);
  const { page } = await readLink("ada@example.com");
  assert.equal((await visitor.get(page)).status, 200); // a mail scanner that follows the link changes nothing
  assert.match((await visitor.get("/account")).html, /not verified/);
  const other = new Visitor(); // the link of a mail leads through the login
  const { location } = await other.get(page);
  assert.equal((await other.submit(location, { email: "ada@example.com", password })).location, page);
  await verify("ada@example.com", other);
  assert.doesNotMatch((await visitor.get("/account")).html, /not verified/);
});

test("lets a user who has forgotten the password choose another one, and logs out everywhere", async () => {
  const email = "grace@example.com";
  const visitor = await register(email);
  const stranger = new Visitor();
  await stranger.submit("/account/reset", { email });
  const { page, path, token } = await readLink(email);
  await stranger.submit(page, { token, password: "battery staple" }, path);
  assert.match((await visitor.get("/account")).location, /^\/login/);
  assert.equal((await stranger.submit("/login", { email, password: "battery staple" })).location, "/");
});

test("takes a code in a second step of the login, and ends other sessions", async () => {
  const email = "joan@example.com";
  const visitor = await register(email);
  await verify(email, visitor);
  await visitor.submit("/account/second-factor");
  const { html } = await visitor.get("/account/second-factor/setup");
  const [, secret = ""] = /<code>([A-Z2-7 ]+)<\/code>/.exec(html) ?? [];
  const page = "/account/second-factor/setup";
  const shown = await visitor.submit(page, { code: toCode(secret) }, "/account/second-factor/confirm");
  const [, code = ""] = /<code>([^<]+)<\/code>/.exec(shown.html) ?? assert.fail(shown.html);
  assert.match(shown.html, /Log out/); // the session has another id, and is still that of the user

  const [other, stranger] = [new Visitor(), new Visitor()];
  const planted = await stranger.get("/login");
  other.client.setCookie("tenon_session", planted.session);
  const { location } = await other.submit("/login?next=%2Faccount", { email, password });
  assert.match((await stranger.get(location)).location, /^\/login\?/); // a session that was known before leads nowhere
  assert.equal(location, "/login/code?next=%2Faccount");
  assert.match((await other.get("/account")).location, /^\/login\?/); // not logged in yet
  assert.equal((await other.submit(location, { code: "000000" })).location, location);
  assert.match((await other.get(location)).html, /The code is wrong/);
  assert.equal((await other.submit(location, { code })).location, "/account");

  await visitor.submit("/account/sessions", {}, "/account/sessions?_method=DELETE");
  assert.match((await other.get("/account")).location, /^\/login/);
  assert.equal((await visitor.get("/account")).status, 200);
});
