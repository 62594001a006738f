import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsController } from "../src/sample-items/sample-items.controller.ts";

const TestModule = defineModule({ name: "test", declarations: [SampleItemsController] });
const app = await createTestApp(TestModule, api({ errors: "issues" }));
after(() => app.stop());

test("GET /sample-items responds with a message", async () => {
  const response = await app.request("GET", "/sample-items");
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: "sample items: ready" });
});
