import assert from "node:assert/strict";
import { test } from "node:test";
import { api } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

test("GET /sample-items answers", async () => {
  const app = await createTestApp(SampleItemsModule, api());
  const response = await app.request("GET", "/sample-items");
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: "sample items are ready" });
  await app.stop();
});

test("the command prints the same", async () => {
  const app = await createTestApp(SampleItemsModule, cli({ name: "app" }));
  const { code, stdout } = await app.run(["sample-items", "--json"]);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), { message: "sample items are ready" });
  await app.stop();
});
