import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineModule, inject } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import {
  Database,
  DatabaseCommands,
  type DataOptions,
  dataModule,
  type Migration,
  Migrations,
  Seeds,
  sql,
} from "@tenon/data";
import { databases } from "../support/stores.ts";

const createNotes: Migration = {
  name: "001-notes",
  up: (db) => db.schema.createTable("notes").addColumn("title", "text").execute(),
  down: (db) => db.schema.dropTable("notes").execute(),
};
const addDone: Migration = {
  name: "002-done",
  up: (db) => db.schema.alterTable("notes").addColumn("done", "boolean").execute(),
  down: (db) => db.schema.alterTable("notes").dropColumn("done").execute(),
};

class Notes {
  readonly db = inject(Database);

  constructor() {
    inject(Migrations).add([addDone]);
    inject(Seeds).add({ name: "notes", run: () => this.write("from a seed") });
  }

  write(title: string) {
    return sql`insert into notes (title) values (${title})`.execute(this.db);
  }
}

async function withCommands(options: DataOptions, body: (run: (line: string) => Promise<string>) => Promise<void>) {
  const data = dataModule({ ...options, migrations: [createNotes] });
  const notes = defineModule({ name: "notes", imports: [data], declarations: [Notes] });
  const module = defineModule({ name: "app", imports: [data, notes], declarations: [DatabaseCommands] });
  const app = await createTestApp(module, cli({ name: "app" }));
  try {
    await body(async (line) => {
      const { stdout, stderr } = await app.run(line.split(" "));
      return (stdout + stderr).trimEnd();
    });
  } finally {
    await app.stop();
  }
}

for (const adapter of databases) {
  describe(`database commands on ${adapter.name}`, () => {
    test("migrate up, down and status, and db seed", () =>
      adapter.with((options) =>
        withCommands({ ...options, migrateOnStart: false }, async (run) => {
          assert.match(await run("migrate status"), /001-notes +pending.*\n.*002-done +pending/);
          assert.equal(await run("migrate up"), "migrated: 001-notes, 002-done");
          assert.equal(await run("migrate up"), "migrated: nothing");
          assert.equal(await run("db seed"), "seeded: notes");
          assert.equal(await run("db seed"), "seeded: nothing");
          assert.equal(await run("db seed --only=notes --again"), "seeded: notes");
          assert.match(await run("db seed --only=note"), /there is no seed "note"\. Seeds: notes\./);
          assert.equal(await run("migrate down --to=001-notes"), "reverted: 002-done");
          assert.match(await run("migrate status"), /001-notes +applied.*\n.*002-done +pending/);
          assert.match(await run("migrate down --to=nothing"), /"nothing" is not an applied migration/);
          assert.equal(await run("migrate down"), "reverted: 001-notes");
          assert.equal(await run("migrate down"), "reverted: nothing");
        }),
      ));

    test("report what the start has migrated", () =>
      adapter.with((options) =>
        withCommands(options, async (run) => {
          assert.equal(await run("migrate up"), "migrated: 001-notes, 002-done");
          assert.equal(
            await run("migrate down"),
            "reverted: 002-done\nThe next start runs them again: set migrateOnStart to false to prevent it.",
          );
        }),
      ));
  });
}
