import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Database, Health, KeyValue, type Migration, Migrations, sql } from "@tenon/data";
import { withFolder } from "../support/services.ts";
import { databases, withStores } from "../support/stores.ts";

const first: Migration = {
  name: "001-things",
  up: (db) => db.schema.createTable("things").addColumn("id", "integer").execute(),
  down: (db) => db.schema.dropTable("things").execute(),
};
const second: Migration = {
  name: "002-title",
  up: (db) => db.schema.alterTable("things").addColumn("title", "text").execute(),
  down: (db) => db.schema.alterTable("things").dropColumn("title").execute(),
};
const third: Migration = {
  name: "003-fill",
  up: (db) => sql`insert into things values (1, 'one')`.execute(db),
  down: (db) => sql`delete from things`.execute(db),
};
const all = [first, second, third];

for (const adapter of databases) {
  describe(`Migrations on ${adapter.name}`, () => {
    const run = (name: string, body: (db: Database) => Promise<void>) =>
      test(name, () => adapter.with((options) => withStores(options, (app) => body(app.get(Database)))));
    const statesOf = async (migrations: Migrations) =>
      (await migrations.status()).map(({ name, state }) => `${name} ${state}`);
    const things = async (db: Database) => (await sql`select * from things`.execute(db)).rows;

    run("report what is applied, pending and unknown", async (db) => {
      assert.deepEqual(await new Migrations(db, all).status(), [
        { name: "001-things", state: "pending", ranAt: null },
        { name: "002-title", state: "pending", ranAt: null },
        { name: "003-fill", state: "pending", ranAt: null },
      ]);
      await new Migrations(db, [first, second]).up();
      const [status] = await new Migrations(db, all).status();
      assert.match(status?.ranAt ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.deepEqual(await statesOf(new Migrations(db, [second, third])), [
        "002-title applied",
        "003-fill pending",
        "001-things unknown",
      ]);
    });

    test("create no table at start with migrateOnStart: false, and all of them later", () =>
      adapter.with((options) =>
        withStores({ ...options, migrateOnStart: false, migrations: [first] }, async (app) => {
          const db = app.get(Database);
          const tables = async () => (await db.introspection.getTables()).map(({ name }) => name).sort();
          assert.deepEqual(await tables(), []);
          assert.equal((await app.get(Health).report()).checks.keyValue, "unavailable");
          await app.get(Migrations).up();
          assert.deepEqual(await tables(), ["tenon_key_value", "tenon_migrations", "things"]);
          await app.get(KeyValue).set("key", "value");
          assert.equal(await app.get(KeyValue).get("key"), "value");
        }),
      ));

    run("revert the last one, and run it again", async (db) => {
      const migrations = new Migrations(db, all);
      await migrations.up();
      assert.deepEqual(await migrations.down(), ["003-fill"]);
      assert.deepEqual(await things(db), []);
      assert.deepEqual(await migrations.down(), ["002-title"]);
      assert.deepEqual(await statesOf(migrations), ["001-things applied", "002-title pending", "003-fill pending"]);
      assert.deepEqual(await migrations.up(), ["002-title", "003-fill"]);
      assert.deepEqual(await things(db), [{ id: 1, title: "one" }]);
    });

    run("revert all after a name, and nothing when none is left", async (db) => {
      const migrations = new Migrations(db, all);
      await migrations.up();
      assert.deepEqual(await migrations.down({ to: "001-things" }), ["003-fill", "002-title"]);
      assert.deepEqual(await migrations.down({ to: "001-things" }), []);
      assert.deepEqual(await migrations.down(), ["001-things"]);
      assert.deepEqual(await migrations.down(), []);
      await assert.rejects(migrations.down({ to: "001-things" }), {
        message: '"001-things" is not an applied migration, so nothing was reverted. Applied: none.',
      });
      await migrations.up();
      await assert.rejects(migrations.down({ to: "001-thing" }), {
        message:
          '"001-thing" is not an applied migration, so nothing was reverted. Applied: "001-things", "002-title", "003-fill".',
      });
    });

    run("revert nothing when one of them has no down()", async (db) => {
      const { name, up } = second;
      const migrations = new Migrations(db, [first, { name, up }, third]);
      await migrations.up();
      await assert.rejects(migrations.down({ to: "001-things" }), {
        message: 'migration "002-title" has no down(), so nothing was reverted. Add one, or restore a backup.',
      });
      assert.deepEqual(await things(db), [{ id: 1, title: "one" }]);
      assert.deepEqual(await migrations.down(), ["003-fill"]);
    });

    run("roll a failed down() back, and name it", async (db) => {
      const broken: Migration = {
        name: "004-broken",
        up: async () => {},
        down: async (transaction) => {
          await transaction.schema.dropTable("things").execute();
          throw new Error("out of luck");
        },
      };
      const migrations = new Migrations(db, [...all, broken]);
      await migrations.up();
      await assert.rejects(migrations.down(), {
        message: 'the down() of migration "004-broken" failed and was rolled back: out of luck',
      });
      assert.deepEqual(await things(db), [{ id: 1, title: "one" }]);
      assert.equal((await statesOf(migrations)).at(-1), "004-broken applied");
    });

    run("revert one migration when several instances revert together", async (db) => {
      await new Migrations(db, all).up();
      const reverted = await Promise.all(
        Array.from({ length: 4 }, () => new Migrations(db, all).down({ to: "002-title" })),
      );
      assert.deepEqual(reverted.flat(), ["003-fill"]);
    });

    run("name a missing table without the hint to run migrations", async (db) => {
      await assert.rejects(new Migrations(db, [third]).up(), ({ message, cause }: Error) => {
        assert.match(message, /^migration "003-fill" failed and was rolled back: .*\bthings\b/);
        assert.doesNotMatch(`${message} ${cause}`, /migrate up/);
        return true;
      });
    });

    run("are seen to be applied by one statement", async (db) => {
      await new Migrations(db, all).up();
      const statements: string[] = [];
      const note = {
        start: (traced: object) => void statements.push(String((traced as { readonly sql: string }).sql)),
      };
      const channel = tracingChannel("tenon.sql");
      channel.subscribe(note as Required<typeof note> & Parameters<typeof channel.subscribe>[0]);
      assert.deepEqual(await new Migrations(db, all).up(), []);
      channel.unsubscribe(note as Required<typeof note> & Parameters<typeof channel.subscribe>[0]);
      assert.equal(statements.length, 1, statements.join("\n"));
    });

    run("read down from the files of a folder", (db) =>
      withFolder(async (folder) => {
        const files = join(folder, "migrations");
        mkdirSync(files);
        writeFileSync(
          join(files, "001-one.mjs"),
          `export const up = (db) => db.schema.createTable("one").addColumn("id", "integer").execute();
          export const down = (db) => db.schema.dropTable("one").execute();`,
        );
        const migrations = new Migrations(db, { folder: files });
        await migrations.up();
        assert.deepEqual(await migrations.down(), ["001-one"]);
        await assert.rejects(sql`select * from one`.execute(db));
      }),
    );
  });
}

const postgres = databases.find(({ name }) => name === "PostgreSQL");
test(
  "a migration takes longer than the timeout of statements, and another instance waits for it (PostgreSQL)",
  {
    skip: postgres === undefined,
  },
  () =>
    postgres?.with(async (options) => {
      const impatient = { ...options, postgres: { ...options.postgres, statementTimeout: 2000 } };
      const slow: Migration = { name: "001-slow", up: (db) => sql`select pg_sleep(2.5)`.execute(db) };
      await withStores(impatient, (one) =>
        withStores(impatient, async (other) => {
          const ran = await Promise.all([one, other].map((app) => new Migrations(app.get(Database), [slow]).up()));
          assert.deepEqual(ran.flat(), ["001-slow"]);
        }),
      );
    }),
);
