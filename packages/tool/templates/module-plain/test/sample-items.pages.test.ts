import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

const views = new URL("../views/", import.meta.url);
const assets = new URL("../assets/", import.meta.url);
const app = await createTestApp(SampleItemsModule, web({ views, assets }));
after(() => app.stop());

test("GET /sample-items shows a page", async () => {
  const response = await app.request("GET", "/sample-items");
  assert.equal(response.status, 200);
  assert.match(await response.text(), /sample items: ready/);
});
