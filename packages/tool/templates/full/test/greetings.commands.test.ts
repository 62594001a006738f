import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defineModule } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { GreetingsCommands } from "../src/greetings/greetings.commands.ts";
import { GreetingsModule } from "../src/greetings/greetings.module.ts";

const TestModule = defineModule({ name: "test", imports: [GreetingsModule], declarations: [GreetingsCommands] });
const app = await createTestApp(TestModule, cli({ name: "my-app" }));
after(() => app.stop());

test("greets the world without a command", async () => {
  assert.deepEqual(await app.run([]), { code: 0, stdout: "Hello, World!\n", stderr: "" });
});

test("greet prints a greeting", async () => {
  assert.deepEqual(await app.run(["greet", "Ada"]), { code: 0, stdout: "Hello, Ada!\n", stderr: "" });
});

test("greet --loud prints the greeting in capital letters", async () => {
  assert.equal((await app.run(["greet", "Ada", "--loud"])).stdout, "HELLO, ADA!\n");
});

test("greet fails without a name", async () => {
  assert.deepEqual(await app.run(["greet"]), { code: 2, stdout: "", stderr: 'my-app: "greet" needs <name>\n' });
});
