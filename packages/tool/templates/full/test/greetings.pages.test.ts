import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestApp } from "@tenon/core/testing";
import { PagesModule } from "../src/pages/pages.module.ts";
import { createPagesPlatform } from "../src/pages/pages.platform.ts";

/** The stores are in memory, so that tests never see the data of another run. */
const config = { databaseUrl: "sqlite::memory:", redisUrl: undefined };
const app = await createTestApp(PagesModule, createPagesPlatform(), { config });
after(() => app.stop());

/** The cookie and the CSRF token of a page with a form. */
async function openForm(path: string) {
  const response = await app.request("GET", path);
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const token = /name="_csrf" value="([^"]+)"/.exec(await response.text())?.[1] ?? "";
  return { cookie, token };
}

test("GET / greets the world", async () => {
  const response = await app.request("GET", "/");
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<h1>Hello, World!<\/h1>/);
});

test("remembers the name of the form: the next page greets by name and shows a notice once", async () => {
  const { cookie, token } = await openForm("/");
  const sent = await app.request("POST", "/greetings", { form: { _csrf: token, name: "Ada" }, headers: { cookie } });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/"]);
  const html = await (await app.request("GET", "/", { headers: { cookie } })).text();
  assert.match(html, /Hello, Ada!/);
  assert.match(html, /Your name was noted/);
  assert.doesNotMatch(await (await app.request("GET", "/", { headers: { cookie } })).text(), /Your name was noted/);
});

test("redirects back to the form when the name is too long, with the typed value and the error", async () => {
  const { cookie, token } = await openForm("/");
  const name = "a".repeat(51);
  const headers = { cookie, referer: "http://localhost/" };
  const sent = await app.request("POST", "/greetings", { form: { _csrf: token, name }, headers });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/"]);
  const html = await (await app.request("GET", "/", { headers: { cookie } })).text();
  assert.match(html, new RegExp(`value="${name}"`));
  assert.match(html, /Your name must have at most 50 characters/);
});

test("rejects a form without its CSRF token", async () => {
  const { cookie } = await openForm("/");
  assert.equal((await app.request("POST", "/greetings", { form: { name: "Eve" }, headers: { cookie } })).status, 403);
});

test("responds with the error page for an unknown path", async () => {
  const response = await app.request("GET", "/unknown");
  assert.equal(response.status, 404);
  assert.match(await response.text(), /There is no page at this address/);
});
