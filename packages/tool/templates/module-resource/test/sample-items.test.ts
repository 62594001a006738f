{% const usesSessions = guards.routes === "SessionAuth"; -%}
{% const headers = guards.routes ? ", headers" : ""; -%}
{% const onlyHeaders = guards.routes ? ", { headers }" : ""; -%}
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
{% if (guards.routes) { -%}
import { {%= usesSessions ? "Sessions, sessionCookie" : "Tokens" %} } from "@tenon/auth";
{% } -%}
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";
{% if (referencedRows.length > 0) { -%}
import { createReferences } from "./support/sample-items.references.ts";
{% } -%}

/** The stores are in memory, so that tests never see the data of another run. */
const config = { databaseUrl: "sqlite::memory:", redisUrl: undefined };
const app = await createTestApp(SampleItemsModule, api({ errors: "issues" }), { config });
after(() => app.stop());
{% if (referencedRows.length > 0) { -%}
await createReferences(app);
{% } -%}
{% if (owner) { -%}

async function login(id: string) {
{% if (usesSessions) { -%}
  return { cookie: `${sessionCookie}=${await app.get(Sessions).create(id)}` };
{% } else { -%}
  const token = await app.get(Tokens).issue({ id, email: `${id}@example.com`, role: "user" });
  return { authorization: `Bearer ${token}` };
{% } -%}
}
const headers = await login("{%= ids.sample %}");
{% } else if (guards.routes && usesSessions) { -%}

const headers = { cookie: `${sessionCookie}=${await app.get(Sessions).create("user")}` };
{% } else if (guards.routes) { -%}

const token = await app.get(Tokens).issue({ id: "user", email: "user@example.com", role: "user" });
const headers = { authorization: `Bearer ${token}` };
{% } -%}

const first = {%= samples.first %};
const second = {%= samples.second %};
let id = "";
beforeEach(async () => {
  const created = await app.request("POST", "/sample-items", { json: first{%= headers %} });
  assert.equal(created.status, 201);
  ({ id } = (await created.json()) as { id: string }); // from the service
});

{% if (required) { -%}
test("POST /sample-items responds with 400 without {%= required.phrase %}, and names the field", async () => {
  const response = await app.request("POST", "/sample-items", { json: {}{%= headers %} });
  assert.equal(response.status, 400);
  const issue = { in: "body", path: "{%= required.name %}", rule: "required", message: "is required" };
  assert.partialDeepStrictEqual(await response.json(), { error: "Invalid request", issues: [issue] });
});

{% } -%}
async function list(query: string) {
  const response = await app.request("GET", `/sample-items?${query}`);
  const { items, next } = (await response.json()) as { items: { id: string }[]; next: string | null }; // from the service
  return { ids: items.map((item) => item.id), next };
}

test("GET /sample-items lists a created one", async () => {
  assert.ok((await list("limit=100")).ids.includes(id));
});

test("GET /sample-items lists one page after the other", async () => {
  const created = await app.request("POST", "/sample-items", { json: second{%= headers %} });
  assert.equal(created.status, 201);
  const first = await list("limit=1");
  const next = await list(`limit=1&cursor=${first.next}`);
  assert.equal(new Set([...first.ids, ...next.ids]).size, 2);
  for (const query of ["limit=0", "cursor=none"]) {
    assert.equal((await app.request("GET", `/sample-items?${query}`)).status, 400);
  }
});

test("GET /sample-items/:id shows one", async () => {
  const response = await app.request("GET", `/sample-items/${id}`);
  assert.equal(response.status, 200);
  assert.partialDeepStrictEqual(await response.json(), { id, ...first });
});

test("PATCH /sample-items/:id changes one", async () => {
  const response = await app.request("PATCH", `/sample-items/${id}`, { json: second{%= headers %} });
  assert.equal(response.status, 200);
  assert.partialDeepStrictEqual(await response.json(), { id, ...second });
});

test("DELETE /sample-items/:id removes one", async () => {
  assert.equal((await app.request("DELETE", `/sample-items/${id}`{%= onlyHeaders %})).status, 204);
  assert.equal((await app.request("GET", `/sample-items/${id}`)).status, 404);
});

test("responds with 404 for an unknown id", async () => {
  for (const method of ["GET", "DELETE"] as const) {
    for (const unknown of ["unknown", "{%= ids.other %}"]) {
      assert.equal((await app.request(method, `/sample-items/${unknown}`{%= onlyHeaders %})).status, 404);
    }
  }
  const response = await app.request("PATCH", "/sample-items/unknown", { json: second{%= headers %} });
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { error: "Sample item not found" });
});
{% for (const { name, phrase } of checked) { -%}

test("POST /sample-items responds with 400 for {%= phrase %} that does not exist", async () => {
  const json = { ...first, {%= name %}: "{%= ids.other %}" };
  assert.equal((await app.request("POST", "/sample-items", { json{%= headers %} })).status, 400);
});
{% } -%}
{% if (guards.routes) { -%}

test("POST /sample-items responds with 401 without a {%= usesSessions ? "session" : "token" %}", async () => {
  assert.equal((await app.request("POST", "/sample-items", { json: first })).status, 401);
});
{% } -%}
{% if (owner) { -%}

test("POST /sample-items makes the user the owner, whatever the body says", async () => {
  const json = { ...first, {%= owner.name %}: "other" };
  const response = await app.request("POST", "/sample-items", { json, headers });
  assert.partialDeepStrictEqual(await response.json(), { {%= owner.name %}: "{%= ids.sample %}" });
});

test("PATCH and DELETE /sample-items/:id respond with 403 for another user", async () => {
  const headers = await login("other");
  const changed = await app.request("PATCH", `/sample-items/${id}`, { json: second, headers });
  const deleted = await app.request("DELETE", `/sample-items/${id}`, { headers });
  assert.deepEqual([changed.status, deleted.status], [403, 403]);
});
{% } -%}
