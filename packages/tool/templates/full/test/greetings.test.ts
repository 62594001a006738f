import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { GreetingsController } from "../src/greetings/greetings.controller.ts";
import { GreetingsModule } from "../src/greetings/greetings.module.ts";

const TestModule = defineModule({ name: "test", imports: [GreetingsModule], declarations: [GreetingsController] });
const app = await createTestApp(TestModule, api({ errors: "issues" }));
after(() => app.stop());

test("GET / greets the world", async () => {
  const response = await app.request("GET", "/");
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: "Hello, World!" });
});

test("GET /greetings/:name greets by name", async () => {
  const response = await app.request("GET", "/greetings/Ada");
  assert.deepEqual(await response.json(), { message: "Hello, Ada!" });
});
