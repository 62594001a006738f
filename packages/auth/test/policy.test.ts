import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BearerAuth, type LoadedBy, loaded, loginAs, Policy } from "@tenon/auth";
import { type Context, dto, inject, integer, route, string } from "@tenon/core";
import { autoIncrement, Database, type Migration } from "@tenon/data";
import type { Generated } from "kysely";
import type { Equal, Expect } from "../../core/test/support/types.ts";
import { sqlTracing } from "../../data/src/tracing.ts";
import { databases } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

interface Schema {
  notes: { id: string; owner: string };
  items: { id: Generated<number>; owner: string };
}
type Note = Schema["notes"];

const tables: Migration = {
  name: "001-tables",
  up: async (db) => {
    await db.schema
      .createTable("notes")
      .addColumn("id", "uuid", (column) => column.primaryKey())
      .addColumn("owner", "text", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("items")
      .addColumn("id", "integer", autoIncrement)
      .addColumn("owner", "text", (column) => column.notNull())
      .execute();
  },
};

class NoteOwner extends Policy<Note> {
  readonly name: string = "note owner";
  readonly missing: 404 | "pass" = 404;
  readonly denied: 403 | 404 = 403;
  readonly #db = inject(Database<Schema>);

  load(id: string) {
    return this.#db.selectFrom("notes").selectAll().where("id", "=", id).executeTakeFirst();
  }
  allow(ctx: Context, { owner }: Note) {
    return owner === ctx.get("user_id");
  }
}
class HiddenNote extends NoteOwner {
  override readonly missing = 404;
  override readonly denied = 404;
  override readonly errors = { 404: "Note not found" };
}
class PassedNote extends NoteOwner {
  override readonly missing = "pass";
}

/** Finds a row by the id as it is sent, or as a number. */
class ItemOwner extends Policy {
  readonly name = "item owner";
  readonly missing: 404 | "pass" = 404;
  readonly denied = 403;
  protected readonly db = inject(Database<Schema>);

  load(id: string): Promise<{ readonly owner: string } | undefined> {
    const key = id as unknown as number; // what a service with plain SQL does
    return this.db.selectFrom("items").selectAll().where("id", "=", key).executeTakeFirst();
  }
  allow(ctx: Context, item: { readonly owner: string }) {
    return item.owner === ctx.get("user_id");
  }
}
class NumberedItem extends ItemOwner {
  override load(id: string) {
    return this.db.selectFrom("items").selectAll().where("id", "=", Number(id)).executeTakeFirst();
  }
}
class PassedItem extends NumberedItem {
  override readonly missing = "pass";
}
class Truthy extends NoteOwner {
  override allow() {
    return "yes" as unknown as boolean; // a mistake that a cast hides
  }
}
class Failing extends PassedNote {
  override load(): Promise<undefined> {
    return Promise.reject(new Error("the store is on fire"));
  }
}
class Unsure extends NoteOwner {
  override allow(): never {
    throw new Error("cannot decide");
  }
}

const mine = route.under("", { middlewares: [BearerAuth] });

class Notes {
  readonly #owner = inject(NoteOwner);
  handled = 0;

  readonly show = mine.get("/notes/:id", { middlewares: [NoteOwner] }, (ctx) => this.#handle(loaded(ctx, NoteOwner)));
  readonly hidden = mine.get("/hidden/:id", { middlewares: [HiddenNote] }, (ctx) => loaded(ctx, HiddenNote));
  readonly passed = mine.get("/passed/:id", { middlewares: [PassedNote] }, (ctx) => [loaded(ctx, PassedNote)?.id]);
  readonly change = mine.put(
    "/notes/:id",
    { middlewares: [NoteOwner], query: dto({ page: integer() }), body: dto({ text: string("required") }) },
    () => this.#handle("changed"),
  );
  readonly move = mine.post("/move", { body: dto({ note: string("required") }) }, async (ctx, { body: { note } }) => {
    return this.#handle((await this.#owner.check(ctx, note.replace("NUL", "\0")))?.id);
  });

  routes() {
    const handler = () => this.#handle("ok");
    return [
      ...[this.show, this.hidden, this.passed, this.change, this.move],
      mine.get("/items/:id", { middlewares: [ItemOwner] }, handler),
      mine.get("/numbered/:id", { middlewares: [NumberedItem] }, handler),
      mine.get("/passed-items/:id", { middlewares: [PassedItem] }, handler),
      mine.get("/truthy/:id", { middlewares: [Truthy] }, handler),
      mine.get("/failing/:id", { middlewares: [Failing] }, handler),
      mine.get("/unsure/:id", { middlewares: [Unsure] }, handler),
      mine.get("/nameless", { middlewares: [PassedNote] }, handler),
      mine.get("/other/:id", { middlewares: [HiddenNote] }, (ctx: Context) => loaded(ctx, NoteOwner)),
    ];
  }

  #handle<T>(value: T): T {
    this.handled++;
    return value;
  }
}
const declarations = [
  ...[Notes, NoteOwner, HiddenNote, PassedNote, ItemOwner, NumberedItem, PassedItem],
  ...[Truthy, Failing, Unsure],
];

const note = "0198c1de-0000-7000-8000-000000000001";
const lost = "0198c1de-0000-7000-8000-00000000000f";

interface Parts extends AuthApp {
  /** Status and body of the response to this user. */
  ask(user: string, path: string, json?: object): Promise<[status: number, body: unknown]>;
}

for (const adapter of databases.filter(({ name }) => name !== "SQLite file")) {
  describe(`policies on ${adapter.name}`, () => {
    const tests: [name: string, body: (parts: Parts) => Promise<void>][] = [];
    const run = (...test: (typeof tests)[number]) => tests.push(test);
    const forbidden = [403, { error: "Forbidden" }];
    const notFound = [404, { error: "Not Found" }];

    run("the owner passes, others are refused, and a missing object is a 404", async ({ app, ask }) => {
      assert.deepEqual(await ask("ada", `/notes/${note}`), [200, { id: note, owner: "ada" }]);
      assert.deepEqual(await ask("eve", `/notes/${note}`), forbidden);
      assert.deepEqual(await ask("ada", `/notes/${lost}`), notFound);
      assert.equal((await app.request("GET", `/notes/${note}`)).status, 401);
      assert.equal(app.get(Notes).handled, 1);
    });

    run("denied = 404 responds as for a missing object", async ({ ask }) => {
      assert.equal((await ask("ada", `/hidden/${note}`))[0], 200);
      const hidden = [404, { error: "Note not found" }];
      for (const id of [note, lost, "x"]) assert.deepEqual(await ask("eve", `/hidden/${id}`), hidden);
    });

    run('missing = "pass" leaves a missing object to the handler, and refuses others', async ({ ask }) => {
      assert.deepEqual(await ask("ada", `/passed/${note}`), [200, [note]]);
      assert.deepEqual(await ask("eve", `/passed/${lost}`), [200, [null]]);
      assert.deepEqual(await ask("eve", `/passed/${note}`), forbidden);
      // another value of the query may be the one that PostgreSQL cannot compare
      const odd = adapter.name === "PostgreSQL" ? notFound : [200, [null]];
      assert.deepEqual(await ask("eve", "/passed/x"), odd);
    });

    run("an id of a wrong form is missing", async ({ ask, log }) => {
      for (const id of ["x", "1", "%20", `${note}0`, "9".repeat(400), "'--"])
        assert.deepEqual(await ask("ada", `/notes/${id}`), notFound, id);
      for (const path of ["/items", "/numbered"]) {
        assert.equal((await ask("ada", `${path}/1`))[0], 200, path);
        assert.deepEqual(await ask("eve", `${path}/1`), forbidden, path);
        for (const id of ["x", "2", "-1", "9".repeat(40), "NaN", note])
          assert.deepEqual(await ask("ada", `${path}/${id}`), notFound, `${path}/${id}`);
      }
      assert.deepEqual(log.causes(), []);
    });

    run("another spelling of a number is missing or the same object, with the same decision", async ({ ask, log }) => {
      for (const id of ["1e0", "01", "+1", "1.0", "%201", "0x1", "0_1"]) {
        for (const path of ["/items", "/numbered"]) {
          const [status] = await ask("ada", `${path}/${id}`);
          assert.deepEqual(await ask("eve", `${path}/${id}`), status === 200 ? forbidden : notFound, `${path}/${id}`);
        }
      }
      for (const id of ["1", "1e0", "01"]) assert.deepEqual(await ask("eve", `/passed-items/${id}`), forbidden, id);
      assert.deepEqual(log.causes(), []);
    });

    run("it decides before query and body are bound", async ({ ask }) => {
      assert.deepEqual(await ask("eve", `/notes/${note}?page=x`, {}), forbidden);
      assert.deepEqual(await ask("eve", `/notes/${lost}?page=x`, {}), notFound);
      assert.equal((await ask("ada", `/notes/${note}`, {}))[0], 400);
      assert.equal((await ask("ada", `/notes/${note}`, { text: "new" }))[0], 200);
    });

    run("check() decides about the id of a body", async ({ app, ask }) => {
      assert.deepEqual(await ask("ada", "/move", { note }), [200, note]);
      assert.deepEqual(await ask("eve", "/move", { note }), forbidden);
      for (const id of [lost, "x", "NUL", "xNUL"]) assert.deepEqual(await ask("ada", "/move", { note: id }), notFound);
      assert.equal(app.get(Notes).handled, 1);
    });

    run("loaded() has the object without a second statement", async ({ app }) => {
      const client = await loginAs(app, { id: "ada" });
      const statements: string[] = [];
      const count = (traced: unknown) => statements.push((traced as { readonly sql: string }).sql); // see TracedSql
      sqlTracing.start.subscribe(count);
      try {
        assert.equal((await client.request("GET", `/notes/${note}`)).status, 200);
      } finally {
        sqlTracing.start.unsubscribe(count);
      }
      assert.equal(statements.filter((sql) => sql.includes("notes")).length, 1);
    });

    run("a decision that fails is a 500 with its cause in the log, and the handler does not run", async (parts) => {
      const { app, ask, log } = parts;
      const failed = [500, { error: "Internal Server Error" }];
      for (const path of ["/failing", "/unsure"]) assert.deepEqual(await ask("ada", `${path}/${note}`), failed);
      assert.deepEqual(log.causes(), ["the store is on fire", "cannot decide"]);
      assert.deepEqual(await ask("ada", `/truthy/${note}`), forbidden, "only true passes");
      assert.equal(app.get(Notes).handled, 0);
    });

    run("a route that lacks the parameter or the policy is a 500 that says so", async ({ app, ask, log }) => {
      assert.equal((await ask("ada", "/nameless"))[0], 500);
      assert.equal((await ask("ada", `/other/${note}`))[0], 500);
      assert.deepEqual(log.causes(), [
        "The policy PassedNote reads the parameter :id, which GET /nameless lacks.",
        "loaded() finds nothing of NoteOwner: list it in the middlewares of this route.",
      ]);
      assert.equal(app.get(Notes).handled, 0);
    });

    test("on one database", (t) =>
      adapter.with((data) =>
        withAuth({ data: { ...data, migrations: [tables] }, declarations }, async (parts) => {
          const db = parts.app.get(Database<Schema>);
          await db.insertInto("notes").values({ id: note, owner: "ada" }).execute();
          await db.insertInto("items").values({ owner: "ada" }).execute();
          const ask: Parts["ask"] = async (user, path, json) => {
            const client = await loginAs(parts.app, { id: user });
            const method = path === "/move" ? "POST" : json === undefined ? "GET" : "PUT";
            const response = await client.request(method, path, json === undefined ? {} : { json });
            return [response.status, await response.json()];
          };
          for (const [name, body] of tests) {
            parts.app.get(Notes).handled = 0;
            parts.log.all.length = 0;
            await t.test(name, () => body({ ...parts, ask }));
          }
        }),
      ));
  });
}

test("a policy declares its rule and its responses", () =>
  withAuth({ declarations }, async ({ app }) => {
    const { paths } = await app.openapi();
    const errorsOf = (path: string) => {
      const { responses = {}, "x-tenon-policies": policies } = paths[path]?.get ?? {};
      return [policies, responses["403"]?.description, responses["404"]?.description];
    };
    assert.deepEqual(errorsOf("/notes/{id}"), [["note owner"], "Forbidden", "Not Found"]);
    assert.deepEqual(errorsOf("/hidden/{id}"), [["note owner"], undefined, "Note not found"]);
    assert.deepEqual(errorsOf("/passed/{id}"), [["note owner"], "Forbidden", "Not Found"]);
  }));

// The compiler checks the rest: `npm run types` fails when one of these lines is wrong.

export type LoadedChecks = [
  Expect<Equal<LoadedBy<HiddenNote>, Note>>,
  Expect<Equal<LoadedBy<PassedNote>, Note | undefined>>,
  Expect<Equal<LoadedBy<NoteOwner>, Note | undefined>>, // it may be either
  Expect<Equal<Checked<HiddenNote>, Note>>,
  Expect<Equal<Checked<PassedNote>, Note | undefined>>,
];
type Checked<P extends Policy> = Awaited<ReturnType<P["check"]>>;

export function loadedChecks() {
  const items = route.under("/items", { middlewares: [ItemOwner] });
  return [
    items.get("/:id", (ctx) => loaded(ctx, ItemOwner)),
    mine.get("/a/:id", { middlewares: [NoteOwner, HiddenNote] }, (ctx) => loaded(ctx, HiddenNote)),
    mine.get("/b/:id", { middlewares: [NoteOwner] }, (ctx) => {
      const inHelper = (helped: Context<string, NoteOwner>) => loaded(helped, NoteOwner);
      return inHelper(ctx);
    }),
    // @ts-expect-error the route does not list it
    mine.get("/c/:id", { middlewares: [NoteOwner] }, (ctx) => loaded(ctx, ItemOwner)),
    // @ts-expect-error nor what extends it
    mine.get("/d/:id", { middlewares: [NoteOwner] }, (ctx) => loaded(ctx, HiddenNote)),
    // @ts-expect-error nor anything
    route.get("/e/:id", (ctx) => loaded(ctx, NoteOwner)),
  ];
}
