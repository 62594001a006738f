import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Database, type Migration, migrate, sql } from "@tenon/data";
import { until } from "../../../core/test/support/until.ts";
import { endProcess, startAndHear } from "../support/processes.ts";
import { withFolder } from "../support/services.ts";
import { databases, withStores } from "../support/stores.ts";

const createThings: Migration = {
  name: "001-create-things",
  up: (db) => db.schema.createTable("things").addColumn("id", "integer").execute(),
};
const fillThings: Migration = { name: "002-fill-things", up: (db) => sql`insert into things values (1)`.execute(db) };

for (const adapter of databases) {
  describe(`migrations on ${adapter.name}`, () => {
    const run = (name: string, body: (db: Database) => Promise<void>) =>
      test(name, () => adapter.with((options) => withStores(options, (app) => body(app.get(Database)))));
    const count = async (db: Database) => (await sql`select * from things`.execute(db)).rows.length;

    run("run in order, each once", async (db) => {
      assert.deepEqual(await migrate(db, [createThings, fillThings]), ["001-create-things", "002-fill-things"]);
      assert.deepEqual(await migrate(db, [createThings, fillThings]), []);
      assert.equal(await count(db), 1);
    });

    run("continue where an earlier run ended", async (db) => {
      await migrate(db, [createThings]);
      assert.deepEqual(await migrate(db, [createThings, fillThings]), ["002-fill-things"]);
    });

    run("roll a failed one back, and name it", async (db) => {
      const broken: Migration = {
        name: "002-broken",
        up: async (transaction) => {
          await sql`insert into things values (7)`.execute(transaction);
          await transaction.schema.createTable("more").addColumn("id", "integer").execute();
          throw new Error("out of luck");
        },
      };
      await assert.rejects(migrate(db, [createThings, broken, fillThings]), {
        message: 'migration "002-broken" failed and was rolled back: out of luck',
      });
      assert.equal(await count(db), 0);
      await assert.rejects(sql`select * from more`.execute(db));
      assert.deepEqual(await migrate(db, [createThings, fillThings]), ["002-fill-things"]);
    });

    run("run once when several instances start together", async (db) => {
      const all = await Promise.all(Array.from({ length: 5 }, () => migrate(db, [createThings, fillThings])));
      assert.equal(all.flat().length, 2);
      assert.equal(await count(db), 1);
    });

    run("come from a folder of files, in the order of their names", (db) =>
      withFolder(async (folder) => {
        const files = join(folder, "migrations");
        mkdirSync(files);
        writeFileSync(
          join(files, "002-b.mjs"),
          "export async function up(db) { await db.schema.dropTable('one').execute(); }",
        );
        writeFileSync(
          join(files, "001-a.mjs"),
          "export async function up(db) { await db.schema.createTable('one').addColumn('id', 'integer').execute(); }",
        );
        assert.deepEqual(await migrate(db, { folder: files }), ["001-a", "002-b"]);
        assert.deepEqual(await migrate(db, { folder: files }), []);
        writeFileSync(join(files, "003-c.mjs"), "export const down = 1;");
        await assert.rejects(migrate(db, { folder: files }), {
          message: '003-c.mjs is not a migration: it does not export a function "up"',
        });
      }),
    );

    run("reject two of one name", async (db) => {
      await assert.rejects(migrate(db, [createThings, createThings]), {
        message: 'two migrations are named "001-create-things"',
      });
    });
  });
}

for (const adapter of databases.filter((candidate) => candidate.name !== "SQLite in memory")) {
  test(`two processes that start together run each migration once (${adapter.name})`, () =>
    adapter.with(async (options) => {
      const children: ChildProcess[] = [];
      const begin = async () => {
        const { child } = await startAndHear("migrate-worker.ts", [JSON.stringify(options)]);
        children.push(child);
        const heard: unknown[] = [];
        child.on("message", (message) => heard.push(message));
        child.send("begin");
        await until(() => heard.includes("begins"), "process that begins");
        return { child, heard };
      };
      try {
        const first = await begin();
        await until(() => first.heard.includes("inside"), "process inside a migration");
        const second = await begin();
        first.child.send("go on");
        const hasEnded = ({ child, heard }: typeof first) => child.exitCode !== null || heard.some(Array.isArray);
        await until(() => hasEnded(first) && hasEnded(second), "end of both");
        // on SQLite, whose lock is held for a migration at a time, either may run the second one
        const ran = [...first.heard, ...second.heard].filter(Array.isArray).flat();
        assert.deepEqual(ran.toSorted(), ["001-things", "002-fill"]);
        assert.ok(!second.heard.includes("inside"));
        for (const child of children) await endProcess(child);
      } finally {
        for (const child of children) child.kill("SIGKILL"); // does nothing when it has exited
      }
      await withStores(options, async (app) => {
        assert.deepEqual((await sql`select id from things`.execute(app.get(Database))).rows, [{ id: 1 }]);
      });
    }));
}
