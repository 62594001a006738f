import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Passwords, useFastPasswords } from "@tenon/auth";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { Database } from "@tenon/data";
import type { Schema } from "../src/database/schema.ts";
import { UsersModule } from "../src/users/users.module.ts";

/** The stores are in memory, so that tests never see the data of another run. */
const config = { databaseUrl: "sqlite::memory:", redisUrl: undefined{%= accounts ? ', mailUrl: "memory:"' : "" %} };
const app = await createTestApp(UsersModule, cli({ name: "app" }), { config, override: [useFastPasswords()] });
after(() => app.stop());

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
