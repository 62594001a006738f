import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule, route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsMiddleware } from "../src/sample-items/sample-items.middleware.ts";

class TestController {
  routes() {
    return [route.get("/", { middlewares: [SampleItemsMiddleware] }, () => "done")];
  }
}

const TestModule = defineModule({ name: "test", declarations: [TestController, SampleItemsMiddleware] });
const app = await createTestApp(TestModule, api());
after(() => app.stop());

test("SampleItemsMiddleware calls the handler", async () => {
  const response = await app.request("GET", "/");
  assert.deepEqual([response.status, await response.json()], [200, "done"]);
});
