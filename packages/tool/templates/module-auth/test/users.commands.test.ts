import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Passwords, useFastPasswords } from "@tenon/auth";
{% if (split) { -%}
import { defineModule } from "@tenon/core";
{% } -%}
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { Database } from "@tenon/data";
import { createTestStores } from "@tenon/data/testing";
{% if (split) { -%}
import { AuthModule } from "../src/auth.module.ts";
import { DataModule } from "../src/data.module.ts";
{% } -%}
import type { Schema } from "../src/database/schema.ts";
{% if (split) { -%}
import { UsersCommands } from "../src/users/users.commands.ts";
{% } -%}
import { UsersModule } from "../src/users/users.module.ts";

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const config = {%= accounts ? '{ ...stores.config, mailUrl: "memory:" }' : "stores.config" %};
{% if (split) { -%}
const imports = [DataModule, AuthModule, UsersModule];
const TestModule = defineModule({ name: "test", imports, declarations: [UsersCommands] });
{% } -%}
const app = await createTestApp({%= split ? "Test" : "Users" %}Module, cli({ name: "app" }), { config, override: [useFastPasswords()] });
after(() => stores.stop(app));

async function run(...argv: string[]) {
  const { code, stdout, stderr } = await app.run([...argv, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as { role: string; password?: string }; // from the command
}

test("users admin creates an administrator once, and prints the password", async () => {
  const { role, password = "" } = await run("users", "admin", "ada@example.com");
  assert.equal(role, "admin");
  const db = app.get(Database<Schema>);
  const user = await db.selectFrom("users").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([user.email, user.role], ["ada@example.com", "admin"]);
  assert.ok(await app.get(Passwords).matches(password, user.password));
  assert.deepEqual(await run("users", "role", "Ada@example.com", "user"), { email: "ada@example.com", role: "user" });
  assert.deepEqual(await run("users", "admin", "ada@example.com"), { email: "ada@example.com", role: "admin" });
});

test("users role fails for an unknown user", async () => {
  const { code, stderr } = await app.run(["users", "role", "eve@example.com", "admin"]);
  assert.deepEqual([code, stderr], [1, "app: User not found\n"]);
});
