import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { useDatabase } from "@tenon/data";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

/** The database is in memory, so that tests never see the data of another run. */
const override = [useDatabase("sqlite::memory:")];
const app = await createTestApp(SampleItemsModule, api({ errors: "issues" }), { override });
after(() => app.stop());

const first = { title: "First" };
const second = { title: "Second" };
let id = "";
beforeEach(async () => {
  const created = await app.request("POST", "/sample-items", { json: first });
  assert.equal(created.status, 201);
  ({ id } = (await created.json()) as { id: string }); // from the service
});

test("POST /sample-items responds with 400 without a title, and names the field", async () => {
  const response = await app.request("POST", "/sample-items", { json: {} });
  assert.equal(response.status, 400);
  const issue = { in: "body", path: "title", rule: "required", message: "is required" };
  assert.partialDeepStrictEqual(await response.json(), { error: "Invalid request", issues: [issue] });
});

test("GET /sample-items lists a created one", async () => {
  const response = await app.request("GET", "/sample-items");
  const list = (await response.json()) as { id: string }[]; // from the service
  assert.ok(list.some((listed) => listed.id === id));
});

test("GET /sample-items lists one page", async () => {
  const created = await app.request("POST", "/sample-items", { json: second });
  assert.equal(created.status, 201);
  const pages = await Promise.all(
    ["limit=1", "limit=1&offset=1", "offset=1000"].map(async (query) => {
      const response = await app.request("GET", `/sample-items?${query}`);
      return ((await response.json()) as unknown[]).length; // from the service
    }),
  );
  assert.deepEqual(pages, [1, 1, 0]);
  assert.equal((await app.request("GET", "/sample-items?limit=none")).status, 400);
});

test("GET /sample-items/:id shows one", async () => {
  const response = await app.request("GET", `/sample-items/${id}`);
  assert.equal(response.status, 200);
  assert.partialDeepStrictEqual(await response.json(), { id, ...first });
});

test("PUT /sample-items/:id changes one", async () => {
  const response = await app.request("PUT", `/sample-items/${id}`, { json: second });
  assert.equal(response.status, 200);
  assert.partialDeepStrictEqual(await response.json(), { id, ...second });
});

test("DELETE /sample-items/:id removes one", async () => {
  assert.equal((await app.request("DELETE", `/sample-items/${id}`)).status, 204);
  assert.equal((await app.request("GET", `/sample-items/${id}`)).status, 404);
});

test("responds with 404 for an unknown id", async () => {
  for (const method of ["GET", "DELETE"] as const) {
    assert.equal((await app.request(method, "/sample-items/unknown")).status, 404);
  }
  const response = await app.request("PUT", "/sample-items/unknown", { json: second });
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { error: "Sample item not found" });
});
