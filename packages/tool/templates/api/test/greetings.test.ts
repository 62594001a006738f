import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { GreetingsModule } from "../src/greetings/greetings.module.ts";

const app = await createTestApp(GreetingsModule, api({ errors: "issues" }));
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
