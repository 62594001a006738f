import assert from "node:assert/strict";
import { after, test } from "node:test";
{% if (split) { -%}
import { defineModule } from "@tenon/core";
{% } -%}
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
{% if (split) { -%}
import { SampleItemsController } from "../src/sample-items/sample-items.controller.ts";
{% } -%}
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

{% if (split) { -%}
const TestModule = defineModule({ name: "test", imports: [SampleItemsModule], declarations: [SampleItemsController] });
{% } -%}
const app = await createTestApp({%= split ? "Test" : "SampleItems" %}Module, cli({ name: "app" }));
after(() => app.stop());

test("sample-items prints its message", async () => {
  const { code, stdout } = await app.run(["sample-items", "--json"]);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), { message: "sample items: ready" });
});
