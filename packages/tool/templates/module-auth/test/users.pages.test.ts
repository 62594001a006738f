import assert from "node:assert/strict";
import { after, test } from "node:test";
import { useFastPasswords } from "@tenon/auth";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { {%= root.moduleName %} } from "../{%= root.moduleFile %}";
import { {%= root.platformName %} } from "../{%= root.platformFile %}";

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const config = {%= accounts ? '{ ...stores.config, mailUrl: "memory:" }' : "stores.config" %};
const app = await createTestApp({%= root.moduleName %}, {%= root.platformName %}(), {
  config,
  override: [useFastPasswords()],
});
after(() => stores.stop(app));

/** Opens pages and submits forms with the cookies of one browser. */
class Visitor {
  readonly client = app.client();

  get(path: string) {
    return this.#send("GET", path);
  }

  async submit(path: string, fields: Readonly<Record<string, string>> = {}) {
    const page = path === "/logout" ? "/" : path;
    const [, token = ""] = /name="_csrf" value="([^"]+)"/.exec((await this.get(page)).html) ?? [];
    return this.#send("POST", path, { _csrf: token, ...fields });
  }

  async #send(method: "GET" | "POST", path: string, form?: Readonly<Record<string, string>>) {
    const headers = { referer: `http://localhost${path}` };
    const response = await this.client.request(method, path, form === undefined ? { headers } : { headers, form });
    const [, session = ""] = /session_id=([^;]*)/.exec(response.headers.getSetCookie().join()) ?? [];
    return { location: response.headers.get("location"), html: await response.text(), session };
  }
}

const ada = { email: "ada@example.com", password: "correct horse" };
const visitor = new Visitor();
const registered = await visitor.submit("/register?next=https%3A%2F%2Fexample.com", ada);

test("registers, logs out and logs in again", async () => {
  assert.equal(registered.location, "/"); // never to another site
  assert.match((await visitor.get("/")).html, /ada@example\.com[\s\S]*You are logged in/);
  assert.equal((await visitor.submit("/logout")).location, "/");
  visitor.client.setCookie("session_id", registered.session); // of no use any more
  assert.match((await visitor.get("/")).html, /href="\/login"/);
  assert.equal((await visitor.submit("/login?next=%2Fregister", ada)).location, "/register");
  assert.match((await visitor.get("/")).html, /ada@example\.com[\s\S]*Log out/);
});

test("shows the login form again after a wrong password, with the typed address", async () => {
  const stranger = new Visitor();
  const wrong = { email: "eve@example.com", password: "wrong horse" };
  assert.equal((await stranger.submit("/login", wrong)).location, "/login");
  const { html } = await stranger.get("/login");
  assert.match(html, /The password does not match the e-mail address/);
  assert.match(html, /value="eve@example\.com"/);
  assert.doesNotMatch(html, /wrong horse/);
});

test("registers an address once", async () => {
  const stranger = new Visitor();
  const again = { ...ada, email: "Ada@example.com" };
  assert.equal((await stranger.submit("/register", again)).location, "/register");
  assert.match((await stranger.get("/register")).html, /The address is registered already/);
});
