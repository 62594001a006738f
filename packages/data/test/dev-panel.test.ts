import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DevPanel, Introspection } from "@tenon/core/platform";
import { Cache, Database, KeyValue, sql } from "@tenon/data";
import { findPanels } from "../../devtools/src/parts.ts";
import { databases, withStores } from "./support/stores.ts";

for (const adapter of databases) {
  describe(`the panel of stores on ${adapter.name}`, () => {
    const run = (name: string, body: (panel: DevPanel, tools: Tools) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) =>
          withStores(options, async (app) => {
            const [panel] = findPanels(app.get(Introspection));
            assert.ok(panel !== undefined);
            await body(panel, { database: app.get(Database), keyValue: app.get(KeyValue), cache: app.get(Cache) });
          }),
        ),
      );

    run("explains a statement without its values, and without running it", async (panel, { database }) => {
      await sql`create table things (id integer primary key, name text)`.execute(database);
      const first = database.kind === "sqlite" ? "?" : "$1";
      const plan = await panel.explain?.({ database: database.kind, sql: `select * from things where id = ${first}` });
      assert.match(String(plan), /things/);
      const text = `insert into things (id) values (${first})`;
      assert.doesNotMatch(String(await panel.explain?.({ database: database.kind, sql: text })), /error/i);
      const { rows } = await sql`select * from things`.execute(database);
      assert.deepEqual(rows, []);
      assert.equal(await panel.explain?.({ database: "other", sql: "select 1" }), undefined);
    });

    run("explains nothing but one query or change", async (panel, { database }) => {
      await sql`create table things (id integer primary key)`.execute(database);
      const explain = (text: string) => panel.explain?.({ database: database.kind, sql: text });
      assert.equal(await explain("drop table things"), "Only queries and changes have a plan.");
      assert.match(String(await explain("select 1; drop table things")), /several statements/);
      assert.deepEqual((await sql`select * from things`.execute(database)).rows, []);
    });

    run("shows entries without secrets, and deletes one", async (panel, { keyValue, cache }) => {
      await keyValue.set("refresh-token:1", "hidden");
      await keyValue.set("user:1", { name: "Ada", password: "hidden" }, { ttl: 60 });
      await cache.set("page", "x".repeat(1000));
      const sections = await panel.read({});
      assert.deepEqual(
        sections.map(({ heading }) => heading),
        ["Cache", "Key-value store"],
      );
      assert.ok(!JSON.stringify(sections).includes("hidden"));
      assert.match(JSON.stringify(sections), /Ada/);
      assert.equal(await panel.actions?.["delete-key"]?.({ key: "user:1" }), "Deleted user:1.");
      assert.equal(await panel.actions?.["delete-key"]?.({ key: "user:1" }), "There is no key user:1.");
      await panel.actions?.["delete-cached"]?.({ key: "page" });
      assert.equal(await cache.get("page"), undefined);
    });
  });
}

interface Tools {
  readonly database: Database;
  readonly keyValue: KeyValue;
  readonly cache: Cache;
}
