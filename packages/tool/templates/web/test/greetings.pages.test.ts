import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defineModule, inject, provide } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule, KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { GreetingsPages } from "../src/greetings/greetings.pages.ts";
import { GreetingsService } from "../src/greetings/greetings.service.ts";
import { createPlatform } from "../src/platform.ts";

const secret = "a secret of at least 32 bytes, for tests";
const settings = provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret }));
/** The pages on stores in memory, so that a test never meets what another start has kept. */
const TestModule = defineModule({
  name: "test",
  imports: [dataModule({ database: "sqlite::memory:" })],
  declarations: [GreetingsPages, GreetingsService, settings],
});
const app = await createTestApp(TestModule, createPlatform());
after(() => app.stop());

/** What a browser keeps of a page with a form: the cookie, and the token in the form. */
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

test("the form is remembered: the next page greets by name, and says once that it was noted", async () => {
  const { cookie, token } = await openForm("/");
  const sent = await app.request("POST", "/greetings", { form: { _csrf: token, name: "Ada" }, headers: { cookie } });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/"]);
  const html = await (await app.request("GET", "/", { headers: { cookie } })).text();
  assert.match(html, /Hello, Ada!/);
  assert.match(html, /Your name was noted/);
  assert.doesNotMatch(await (await app.request("GET", "/", { headers: { cookie } })).text(), /Your name was noted/);
});

test("a name that is too long leads back to the form, with what was typed and what is wrong", async () => {
  const { cookie, token } = await openForm("/");
  const name = "a".repeat(51);
  const headers = { cookie, referer: "http://localhost/" };
  const sent = await app.request("POST", "/greetings", { form: { _csrf: token, name }, headers });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/"]);
  const html = await (await app.request("GET", "/", { headers: { cookie } })).text();
  assert.match(html, new RegExp(`value="${name}"`));
  assert.match(html, /Your name must have at most 50 characters/);
});

test("a form without the token of the page is refused", async () => {
  const { cookie } = await openForm("/");
  assert.equal((await app.request("POST", "/greetings", { form: { name: "Eve" }, headers: { cookie } })).status, 403);
});

test("an address that leads nowhere is answered with the error page", async () => {
  const response = await app.request("GET", "/nowhere");
  assert.equal(response.status, 404);
  assert.match(await response.text(), /There is no page at this address/);
});
