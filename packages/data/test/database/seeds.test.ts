import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Database, type Seed, Seeds, sql } from "@tenon/data";
import { databases, withStores } from "../support/stores.ts";

for (const adapter of databases) {
  describe(`Seeds on ${adapter.name}`, () => {
    const run = (name: string, body: (db: Database) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) =>
          withStores(options, async (app) => {
            const db = app.get(Database);
            await sql`create table things (name text)`.execute(db);
            await body(db);
          }),
        ),
      );
    const seed = (name: string): Seed => ({ name, run: (db) => sql`insert into things values (${name})`.execute(db) });
    const things = async (db: Database) =>
      (await sql<{ name: string }>`select name from things`.execute(db)).rows.map(({ name }) => name);

    run("run each seed once, in order", async (db) => {
      const seeds = new Seeds(db, [seed("users")]);
      seeds.add(seed("posts"));
      assert.deepEqual(seeds.names, ["users", "posts"]);
      assert.deepEqual(await seeds.run(), ["users", "posts"]);
      assert.deepEqual(await seeds.run(), []);
      assert.deepEqual(await new Seeds(db, [seed("users"), seed("tags")]).run(), ["tags"]);
      assert.deepEqual(await things(db), ["users", "posts", "tags"]);
    });

    run("run some of them, and again on request", async (db) => {
      const seeds = new Seeds(db, [seed("users"), seed("posts")]);
      assert.deepEqual(await seeds.run({ only: ["posts"] }), ["posts"]);
      assert.deepEqual(await seeds.run({ only: ["posts"], again: true }), ["posts"]);
      assert.deepEqual(await seeds.run(), ["users"]);
      assert.deepEqual(await things(db), ["posts", "posts", "users"]);
      await assert.rejects(seeds.run({ only: ["post"] }), { message: 'there is no seed "post". Seeds: users, posts.' });
    });

    run("run a seed that failed the next time", async (db) => {
      let attempts = 0;
      const seeds = new Seeds(db, [
        {
          name: "flaky",
          run: async () => {
            if (++attempts === 1) throw new Error("out of luck");
          },
        },
      ]);
      await assert.rejects(seeds.run(), { message: 'seed "flaky" failed: out of luck' });
      assert.deepEqual(await seeds.run(), ["flaky"]);
      assert.equal(attempts, 2);
    });

    run("reject two of one name", async (db) => {
      assert.throws(() => new Seeds(db, [seed("users"), seed("users")]), { message: 'two seeds are named "users"' });
    });
  });
}
