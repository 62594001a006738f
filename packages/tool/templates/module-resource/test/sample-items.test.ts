{% const usesSessions = guards.routes === "SessionAuth"; -%}
{% const client = guards.routes ? "user" : "app"; -%}
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
{% if (guards.routes) { -%}
import { loginAs{%= owner ? ", useFastPasswords" : "" %} } from "@tenon/auth";
{% } -%}
import { api{%= split ? ", defineModule" : "" %} } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
{% const own = (role) => ({ name: `SampleItems${role}`, path: `../src/sample-items/sample-items.${role.toLowerCase()}.ts` }); -%}
{% const users = { name: "UsersService", path: "../src/users/users.service.ts" }; -%}
{%= importAll([...(split ? [...testModules, own("Controller")] : []), own("Module"), ...(owner ? [users] : [])]) %}{% if (referencedRows.length > 0) { -%}
import { createReferences } from "./support/sample-items.references.ts";
{% } -%}

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
{% if (split) { -%}
const TestModule = defineModule({ name: "test", imports: [{%= testModules.map(({ name }) => name).join(", ") %}, SampleItemsModule], declarations: [SampleItemsController] });
{% } -%}
const app = await createTestApp({%= split ? "Test" : "SampleItems" %}Module, api({ errors: "issues" }), {%= owner ? "{\n  config: stores.config,\n  override: [useFastPasswords()],\n}" : "{ config: stores.config }" %});
after(() => stores.stop(app));
{% if (referencedRows.length > 0) { -%}
await createReferences(app);
{% } -%}
{% if (guards.routes) { -%}
const user = await loginAs(app, { id: "{%= ids.sample %}" });
{% } -%}

const first = {%= samples.first %};
const second = {%= samples.second %};
let id = "";
beforeEach(async () => {
  const created = await {%= client %}.request("POST", "/sample-items", { json: first });
  assert.equal(created.status, 201);
  ({ id } = (await created.json()) as { id: string }); // from the service
});

{% if (required) { -%}
test("POST /sample-items responds with 400 without {%= required.phrase %}, and names the field", async () => {
  const response = await {%= client %}.request("POST", "/sample-items", { json: {} });
  assert.equal(response.status, 400);
  const issue = { in: "body", path: "{%= required.name %}", rule: "required", message: "is required" };
  assert.partialDeepStrictEqual(await response.json(), { error: "Invalid request", issues: [issue] });
});

{% } -%}
async function list(query: string) {
  const response = await {%= client %}.request("GET", `/sample-items?${query}`);
  const { items, next } = (await response.json()) as { items: { id: string }[]; next: string | null }; // from the service
  return { ids: items.map((item) => item.id), next };
}

test("GET /sample-items lists a created one", async () => {
  assert.ok((await list("limit=100")).ids.includes(id));
});

test("GET /sample-items lists one page after the other", async () => {
  const created = await {%= client %}.request("POST", "/sample-items", { json: second });
  assert.equal(created.status, 201);
  const first = await list("limit=1");
  const next = await list(`limit=1&cursor=${first.next}`);
  assert.equal(new Set([...first.ids, ...next.ids]).size, 2);
  for (const query of ["limit=0", "cursor=none"]) {
    assert.equal((await {%= client %}.request("GET", `/sample-items?${query}`)).status, 400);
  }
});

test("GET /sample-items/:id shows one", async () => {
  const response = await {%= client %}.request("GET", `/sample-items/${id}`);
  assert.equal(response.status, 200);
  assert.partialDeepStrictEqual(await response.json(), { id, ...first });
});

test("PATCH /sample-items/:id changes one", async () => {
  const response = await {%= client %}.request("PATCH", `/sample-items/${id}`, { json: second });
  assert.equal(response.status, 200);
  assert.partialDeepStrictEqual(await response.json(), { id, ...second });
});

test("DELETE /sample-items/:id removes one", async () => {
  assert.equal((await {%= client %}.request("DELETE", `/sample-items/${id}`)).status, 204);
  assert.equal((await {%= client %}.request("GET", `/sample-items/${id}`)).status, 404);
});

test("responds with 404 for an unknown id", async () => {
  for (const method of ["GET", "DELETE"] as const) {
    for (const unknown of ["unknown", "{%= ids.other %}"]) {
      assert.equal((await {%= client %}.request(method, `/sample-items/${unknown}`)).status, 404);
    }
  }
  const response = await {%= client %}.request("PATCH", "/sample-items/unknown", { json: second });
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { error: "Sample item not found" });
});
{% for (const { name, phrase } of checked) { -%}

test("POST /sample-items responds with 400 for {%= phrase %} that does not exist", async () => {
  const json = { ...first, {%= name %}: "{%= ids.other %}" };
  assert.equal((await {%= client %}.request("POST", "/sample-items", { json })).status, 400);
});
{% } -%}
{% if (guards.routes) { -%}

test("responds with 401 to a user who was deleted since the login", async () => {
  const gone = await loginAs(app, { id: "{%= ids.other %}" }); // no user has the id
  assert.equal((await gone.request("POST", "/sample-items", { json: first })).status, 401);
});

test("responds with 401 without a {%= usesSessions ? "session" : "token" %}", async () => {
  for (const path of ["/sample-items", `/sample-items/${id}`]) assert.equal((await app.request("GET", path)).status, 401);
  assert.equal((await app.request("POST", "/sample-items", { json: first })).status, 401);
});
{% } -%}
{% if (owner) { -%}

test("POST /sample-items makes the user the owner, whatever the body says", async () => {
  const json = { ...first, user_id: "{%= ids.other %}" };
  const response = await user.request("POST", "/sample-items", { json });
  assert.partialDeepStrictEqual(await response.json(), { user_id: "{%= ids.sample %}" });
});

test("responds to other users as if there were none", async () => {
  const input = { email: "other@example.com", password: "correct horse" };
  const other = await loginAs(app, (await app.get(UsersService).register(input)) ?? assert.fail());
  const list = await other.request("GET", "/sample-items");
  assert.deepEqual(await list.json(), { items: [], next: null, previous: null });
  for (const response of [
    await other.request("GET", `/sample-items/${id}`),
    await other.request("PATCH", `/sample-items/${id}`, { json: second }),
    await other.request("DELETE", `/sample-items/${id}`),
  ]) {
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { error: "Sample item not found" });
  }
});
{% } -%}
