import assert from "node:assert/strict";
import { after, test } from "node:test";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

const app = await createTestApp(SampleItemsModule, cli({ name: "app" }));
after(() => app.stop());

test("sample-items prints its message", async () => {
  const { code, stdout } = await app.run(["sample-items", "--json"]);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), { message: "sample items: ready" });
});
