import assert from "node:assert/strict";
import { after, test } from "node:test";
{% if (guards.pages) { -%}
import { loginAs{%= owner ? ", useFastPasswords" : "" %} } from "@tenon/auth";
{% } -%}
import { createTestApp, type TestClient } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { {%= root.moduleName %} } from "../{%= root.moduleFile %}";
import { {%= root.platformName %} } from "../{%= root.platformFile %}";
{% if (owner) { -%}
import { UsersService } from "../src/users/users.service.ts";
{% } -%}
{% if (referencedRows.length > 0) { -%}
import { createReferences } from "./support/sample-items.references.ts";
{% } -%}

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const app = await createTestApp({%= root.moduleName %}, {%= root.platformName %}(), {%= owner ? "{\n  config: stores.config,\n  override: [useFastPasswords()],\n}" : "{ config: stores.config }" %});
after(() => stores.stop(app));
{% if (referencedRows.length > 0) { -%}
await createReferences(app);
{% } -%}

const first = {%= formSamples.first %};
const second = {%= formSamples.second %};

/** Opens a page with a form and returns its CSRF token. */
async function openForm(client: TestClient) {
  const html = await (await client.request("GET", "/sample-items/new")).text();
  return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
}
const visitor = {% if (guards.pages) { %}await loginAs(app, { id: "{%= ids.sample %}" }){% } else { %}app.client(){% } %};
const token = await openForm(visitor);

async function get(path: string) {
  const response = await visitor.request("GET", path);
  return { status: response.status, html: await response.text() };
}

/** Submits a form of the page at `from` and returns where the response redirects. */
async function send(path: string, fields: Readonly<Record<string, string>>, from = "/") {
  const headers = { referer: `http://localhost${from}` };
  const response = await visitor.request("POST", path, { form: { _csrf: token, ...fields }, headers });
  assert.equal(response.status, 303);
  return response.headers.get("location") ?? "";
}

test("creates one with the form, and shows and lists it", async () => {
  const path = await send("/sample-items", {% if (lead) { %}{ ...first, {%= lead.name %}: "First <b>" }{% } else { %}first{% } %});
  const { status, html } = await get(path);
  assert.equal(status, 200);
  assert.match(html, /Sample item created/);
{% if (lead) { -%}
  assert.match(html, /<h1>First &lt;b&gt;<\/h1>/);
{% } -%}
  assert.ok((await get("/sample-items")).html.includes(`href="${path}"`));
});

{% if (short) { -%}
test("redirects back to the form when the {%= short.words %} is too long, with the typed value and the error", async () => {
  const long = "a".repeat(201);
  const path = await send("/sample-items", { ...first, {%= short.name %}: long }, "/sample-items/new");
  assert.equal(path, "/sample-items/new");
  const { html } = await get(path);
  assert.ok(html.includes(`value="${long}"`));
  assert.match(html, /The {%= short.words %} must have at most 200 characters/);
});

{% } -%}
test("updates one with the form", async () => {
  const path = await send("/sample-items", first);
{% if (lead) { -%}
  assert.match((await get(`${path}/edit`)).html, {%= lead.type === "text" ? "/>First<\\/textarea>/" : '/value="First"/' %});
{% } -%}
  assert.equal(await send(`${path}?_method=PUT`, second), path);
{% if (lead) { -%}
  assert.match((await get(path)).html, /<h1>Second<\/h1>/);
{% } -%}
});

test("links the next and the previous page of a long list", async () => {
  for (let count = 0; count <= 20; count++) await send("/sample-items", first);
  const next = /rel="next" href="([^"]+)"/.exec((await get("/sample-items")).html)?.[1] ?? "";
  assert.match((await get(next)).html, /rel="prev" href="\/sample-items\?cursor=/);
  assert.equal((await get("/sample-items?cursor=none")).status, 400);
});

test("deletes one after a confirmation page", async () => {
  const path = await send("/sample-items", first);
  assert.match((await get(`${path}/delete`)).html, /This cannot be undone/);
  assert.equal(await send(`${path}?_method=DELETE`, {}), "/sample-items");
  assert.equal((await get(path)).status, 404);
});

test("rejects a form without its CSRF token", async () => {
  const { status } = await visitor.request("POST", "/sample-items", { form: first });
  assert.equal(status, 403);
});

test("responds with 404 for an unknown id", async () => {
  for (const path of ["unknown", "unknown/edit", "unknown/delete", "{%= ids.other %}"]) {
    assert.equal((await get(`/sample-items/${path}`)).status, 404);
  }
});
{% if (guards.pages) { -%}

test("redirects visitors who are not logged in to the login", async () => {
  for (const path of ["/sample-items/new", "/sample-items/1/edit", "/sample-items/1/delete", "/sample-items", "/sample-items/1"]) {
    const response = await app.request("GET", path);
    assert.equal(response.headers.get("location"), `/login?next=${encodeURIComponent(path)}`);
  }
});
{% } -%}
{% if (owner) { -%}

test("shows other users nothing, and lets them change and delete nothing", async () => {
  const path = await send("/sample-items", { ...first, user_id: "{%= ids.other %}" });
  const input = { email: "other@example.com", password: "correct horse" };
  const other = await loginAs(app, (await app.get(UsersService).register(input)) ?? assert.fail());
  assert.match(await (await other.request("GET", "/sample-items")).text(), /There are none here/);
  const form = { _csrf: await openForm(other), ...second };
  for (const response of [
    await other.request("GET", path),
    await other.request("GET", `${path}/edit`),
    await other.request("GET", `${path}/delete`),
    await other.request("POST", `${path}?_method=PUT`, { form }),
    await other.request("POST", `${path}?_method=DELETE`, { form }),
  ]) {
    assert.equal(response.status, 404);
  }
  assert.equal((await get(path)).status, 200);
});
{% } -%}
