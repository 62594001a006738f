import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { PagesModule } from "../src/pages/pages.module.ts";
import { createPagesPlatform } from "../src/pages/pages.platform.ts";

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const app = await createTestApp(PagesModule, createPagesPlatform(), { config: stores.config });
after(() => stores.stop(app));

/** A client that has opened a page with a form, and the CSRF token of the form. */
async function openForm(path: string) {
  const client = app.client();
  const html = await (await client.request("GET", path)).text();
  return { client, token: /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? "" };
}

test("GET / greets the world", async () => {
  const response = await app.request("GET", "/");
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<h1>Hello, World!<\/h1>/);
});

test("remembers the name of the form: the next page greets by name and shows a notice once", async () => {
  const { client, token } = await openForm("/");
  const sent = await client.request("POST", "/greetings", { form: { _csrf: token, name: "Ada" } });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/"]);
  const html = await (await client.request("GET", "/")).text();
  assert.match(html, /Hello, Ada!/);
  assert.match(html, /Your name was noted/);
  assert.doesNotMatch(await (await client.request("GET", "/")).text(), /Your name was noted/);
});

test("redirects back to the form when the name is too long, with the typed value and the error", async () => {
  const { client, token } = await openForm("/");
  const name = "a".repeat(51);
  const headers = { referer: "http://localhost/" };
  const sent = await client.request("POST", "/greetings", { form: { _csrf: token, name }, headers });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/"]);
  const html = await (await client.request("GET", "/")).text();
  assert.match(html, new RegExp(`value="${name}"`));
  assert.match(html, /Your name must have at most 50 characters/);
});

test("rejects a form without its CSRF token", async () => {
  const { client } = await openForm("/");
  assert.equal((await client.request("POST", "/greetings", { form: { name: "Eve" } })).status, 403);
});

test("responds with the error page for an unknown path", async () => {
  const response = await app.request("GET", "/unknown");
  assert.equal(response.status, 404);
  assert.match(await response.text(), /There is no page at this address/);
});
