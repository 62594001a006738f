import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

const app = await createTestApp(SampleItemsModule, api({ errors: "issues" }));
after(() => app.stop());

test("GET /sample-items responds with its message", async () => {
  const response = await app.request("GET", "/sample-items");
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: "sample items: ready" });
});
