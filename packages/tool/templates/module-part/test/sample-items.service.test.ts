import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsService } from "../src/sample-items/sample-items.service.ts";

const TestModule = defineModule({ name: "test", declarations: [SampleItemsService] });
const app = await createTestApp(TestModule, api());
after(() => app.stop());

test("SampleItemsService describes itself", () => {
  assert.equal(app.get(SampleItemsService).describe(), "sample items: ready");
});
