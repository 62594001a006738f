import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api{%= split ? ", defineModule" : "" %} } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
{% if (split) { -%}
import { SampleItemsController } from "../src/sample-items/sample-items.controller.ts";
{% } -%}
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

{% if (split) { -%}
const TestModule = defineModule({ name: "test", imports: [SampleItemsModule], declarations: [SampleItemsController] });
{% } -%}
const app = await createTestApp({%= split ? "Test" : "SampleItems" %}Module, api({ errors: "issues" }));
after(() => app.stop());

test("GET /sample-items responds with its message", async () => {
  const response = await app.request("GET", "/sample-items");
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: "sample items: ready" });
});
