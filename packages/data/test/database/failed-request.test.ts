import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database, dataModule, type Transaction } from "@tenon/data";
import { services, withPostgres } from "../support/services.ts";

const databases = [
  { name: "SQLite", run: (body: (url: string) => Promise<void>) => body("sqlite::memory:") },
  ...(services.postgres === undefined ? [] : [{ name: "PostgreSQL", run: withPostgres<void> }]),
];

interface Schema {
  notes: { id: string };
}

class NotesController {
  readonly #db = inject(Database<Schema>);

  readonly add = route.post("/notes/:id", { errors: { 409: "Taken" } }, (ctx) =>
    this.#db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto("notes")
        .values({ id: ctx.param("id") })
        .execute();
      if (ctx.query("taken") === "statement") ctx.fail(409);
      return ctx.query("taken") === "result" ? ctx.fail(409) : "added";
    }),
  );

  readonly list = route.get("/notes", () => this.#db.selectFrom("notes").select("id").orderBy("id").execute());

  routes() {
    return [this.add, this.list];
  }
}

const createNotes = {
  name: "001-notes",
  up: (db: Transaction<unknown>) => db.schema.createTable("notes").addColumn("id", "text").execute(),
};

for (const { name, run } of databases) {
  test(`ctx.fail() in a transaction rolls it back (${name})`, async () => {
    await run(async (url) => {
      const data = dataModule({ database: url, migrations: [createNotes] });
      const module = defineModule({ name: "notes", imports: [data], declarations: [NotesController] });
      const app = await createTestApp(module, api());
      const statuses: number[] = [];
      for (const path of ["a?taken=statement", "b?taken=result", "c"]) {
        statuses.push((await app.request("POST", `/notes/${path}`)).status);
      }
      assert.deepEqual(statuses, [409, 409, 200]);
      assert.deepEqual(await (await app.request("GET", "/notes")).json(), [{ id: "c" }]);
      await app.stop();
    });
  });
}
