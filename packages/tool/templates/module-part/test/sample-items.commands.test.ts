import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defineModule } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { SampleItemsCommands } from "../src/sample-items/sample-items.commands.ts";

const TestModule = defineModule({ name: "test", declarations: [SampleItemsCommands] });
const app = await createTestApp(TestModule, cli({ name: "app" }));
after(() => app.stop());

test("sample-items prints its message", async () => {
  assert.deepEqual(await app.run(["sample-items"]), { code: 0, stdout: "sample items: ready\n", stderr: "" });
  assert.match((await app.run(["sample-items", "--loud"])).stdout, /: READY\n$/);
});
