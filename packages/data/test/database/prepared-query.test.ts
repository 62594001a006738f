import assert from "node:assert/strict";
import { test } from "node:test";
import { Database, PreparedQuery, sql } from "@tenon/data";
import { services, withPostgres } from "../support/services.ts";
import { withStores } from "../support/stores.ts";

interface Sum {
  readonly sum: number;
}

const add = (a: number, b: number) => new PreparedQuery<Sum>("add_numbers", "select $1::int + $2::int as sum", [a, b]);

test(
  "a prepared query is parsed once for each connection, and with a pooler each time",
  {
    skip: services.postgres === undefined,
  },
  () =>
    withPostgres(async (url) => {
      const prepared = (pooler: boolean) =>
        withStores(
          { database: url, postgres: { poolSize: 1, ...(pooler ? { pooler: "transaction" } : {}) } },
          async (app) => {
            const db = app.get(Database);
            for (const number of [1, 2, 3]) {
              assert.deepEqual((await db.executeQuery(add(number, 10))).rows, [{ sum: number + 10 }]);
            }
            const names = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db);
            return names.rows.map(({ name }) => name);
          },
        );
      assert.deepEqual([await prepared(false), await prepared(true)], [["add_numbers"], []]);
    }),
);

test("SQLite runs a prepared query like any other", () =>
  withStores({ database: "sqlite::memory:" }, async (app) => {
    const query = new PreparedQuery<Sum>("add_numbers", "select ? + ? as sum", [1, 2]);
    assert.deepEqual((await app.get(Database).executeQuery(query)).rows, [{ sum: 3 }]);
  }));
