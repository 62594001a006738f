import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestApp } from "@tenon/core/testing";
import { useDatabase } from "@tenon/data";
import { AppModule } from "../src/app.module.ts";
import { createPlatform } from "../src/platform.ts";

/** The database is in memory, so that tests never see the data of another run. */
const override = [useDatabase("sqlite::memory:")];
const app = await createTestApp(AppModule, createPlatform(), { override });
after(() => app.stop());

const first = { title: "First" };
const second = { title: "Second" };

/** The cookie and the CSRF token of a page with a form. */
const opened = await app.request("GET", "/sample-items/new");
const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
const token = /name="_csrf" value="([^"]+)"/.exec(await opened.text())?.[1] ?? "";

async function get(path: string) {
  const response = await app.request("GET", path, { headers: { cookie } });
  return { status: response.status, html: await response.text() };
}

/** Submits a form of the page at `from` and returns where the response redirects. */
async function send(path: string, fields: Readonly<Record<string, string>>, from = "/") {
  const headers = { cookie, referer: `http://localhost${from}` };
  const response = await app.request("POST", path, { form: { _csrf: token, ...fields }, headers });
  assert.equal(response.status, 303);
  return response.headers.get("location") ?? "";
}

test("creates one with the form, and shows and lists it", async () => {
  const path = await send("/sample-items", { ...first, title: "First <b>" });
  const { status, html } = await get(path);
  assert.equal(status, 200);
  assert.match(html, /Sample item created/);
  assert.match(html, /<h1>First &lt;b&gt;<\/h1>/);
  assert.ok((await get("/sample-items")).html.includes(`href="${path}"`));
});

test("redirects back to the form when the title is too long, with the typed value and the error", async () => {
  const long = "a".repeat(201);
  const path = await send("/sample-items", { ...first, title: long }, "/sample-items/new");
  assert.equal(path, "/sample-items/new");
  const { html } = await get(path);
  assert.ok(html.includes(`value="${long}"`));
  assert.match(html, /The title must have at most 200 characters/);
});

test("updates one with the form", async () => {
  const path = await send("/sample-items", first);
  assert.match((await get(`${path}/edit`)).html, /value="First"/);
  assert.equal(await send(`${path}?_method=PUT`, second), path);
  assert.match((await get(path)).html, /<h1>Second<\/h1>/);
});

test("links the next and the previous page of a long list", async () => {
  for (let count = 0; count <= 20; count++) await send("/sample-items", first);
  assert.match((await get("/sample-items")).html, /href="\/sample-items\?page=2">Next page/);
  assert.match((await get("/sample-items?page=2")).html, /href="\/sample-items\?page=1">Previous page/);
  assert.equal((await get("/sample-items?page=0")).status, 400);
});

test("deletes one after a confirmation page", async () => {
  const path = await send("/sample-items", first);
  assert.match((await get(`${path}/delete`)).html, /This cannot be undone/);
  assert.equal(await send(`${path}?_method=DELETE`, {}), "/sample-items");
  assert.equal((await get(path)).status, 404);
});

test("rejects a form without its CSRF token", async () => {
  const options = { form: first, headers: { cookie } };
  const { status } = await app.request("POST", "/sample-items", options);
  assert.equal(status, 403);
});

test("responds with 404 for an unknown id", async () => {
  for (const path of ["unknown", "unknown/edit", "unknown/delete"]) {
    assert.equal((await get(`/sample-items/${path}`)).status, 404);
  }
});
