import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError } from "@tenon/core";
import { Database, rejectDuplicates, StoreError, sql } from "@tenon/data";
import { databases, withStores } from "./support/stores.ts";

for (const adapter of databases) {
  test(`a duplicate is rejected input, with an issue for each column (${adapter.name})`, () =>
    adapter.with((options) =>
      withStores(options, async (app) => {
        const db = app.get(Database);
        await sql`create table accounts (tenant text, email text not null)`.execute(db);
        await sql`create unique index one_account on accounts (tenant, email)`.execute(db);
        await sql`create table names (name text)`.execute(db);
        await sql`create unique index one_name on names (lower(name))`.execute(db);
        const insert = (tenant: string, email: string | null) =>
          sql`insert into accounts values (${tenant}, ${email})`.execute(db);

        await rejectDuplicates(insert("a", "ada@example.com"));
        const issue = { in: "body", rule: "unique", message: "is already taken" } as const;
        const rejected = await rejectDuplicates(insert("a", "ada@example.com")).catch((error: unknown) => error);
        assert.ok(rejected instanceof BindError && rejected.cause instanceof StoreError);
        assert.deepEqual(rejected.issues, [
          { ...issue, path: "tenant" },
          { ...issue, path: "email" },
        ]);
        await assert.rejects(rejectDuplicates(insert("a", "ada@example.com"), { in: "query", path: "account" }), {
          issues: [
            { ...issue, in: "query", path: "account.tenant" },
            { ...issue, in: "query", path: "account.email" },
          ],
        });
        await sql`insert into names values ('Ada')`.execute(db);
        const unnamed = rejectDuplicates(sql`insert into names values ('ADA')`.execute(db));
        await assert.rejects(unnamed, { name: "StoreError", constraint: "unique", columns: [] });
        await assert.rejects(rejectDuplicates(insert("b", null)), { name: "StoreError", constraint: "not null" });
      }),
    ));
}
