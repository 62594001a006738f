import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { after, before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ApiKeys, RefreshTokens, Sessions } from "@tenon/auth";
import { type App, provide } from "@tenon/core";
import { Database, DatabaseKeyValue, KeyValue, type Migration, migrate } from "@tenon/data";
import { type ControlledTransaction, sql } from "kysely";
import { runInOrder, SteppedKeyValue } from "../../../packages/auth/test/support/interleavings.ts";
import { noteFigures } from "../../../packages/core/test/support/figures.ts";
import { until } from "../../../packages/core/test/support/until.ts";
import type { Schema } from "../src/database/schema.ts";
import { PostsService } from "../src/posts/posts.service.ts";
import { UsersService } from "../src/users/users.service.ts";
import { withBlog } from "./support/blog.ts";
import { hold } from "./support/hold.ts";
import { type Storage, type StorageUrls, sharedStorages } from "./support/storages.ts";
import { uniqueEmail } from "./support/users.ts";

/** One instance: its stores, and services whose calls to the key-value store can be held one by one. */
class Instance {
  readonly store: KeyValue;
  readonly db: Database<Schema>;
  readonly posts: PostsService;
  readonly users: UsersService;
  readonly keys: ApiKeys;
  readonly stepped: SteppedKeyValue;
  readonly sessions: Sessions;
  readonly tokens: RefreshTokens;

  constructor(app: App, stepped: SteppedKeyValue, steppedApp: App) {
    this.store = app.get(KeyValue);
    this.db = app.get(Database<Schema>);
    this.posts = app.get(PostsService);
    this.users = app.get(UsersService);
    this.keys = app.get(ApiKeys);
    this.stepped = stepped;
    this.sessions = steppedApp.get(Sessions);
    this.tokens = steppedApp.get(RefreshTokens);
  }

  refreshing(token: string) {
    return { store: this.stepped, run: () => this.tokens.refresh(token) };
  }

  revoking(token: string) {
    return { store: this.stepped, run: () => this.tokens.revoke(token) };
  }
}

interface Pair {
  readonly a: Instance;
  readonly b: Instance;
  readonly authorId: string;
}

function withInstance<T>(urls: StorageUrls, body: (instance: Instance) => Promise<T>): Promise<T> {
  return withBlog(urls, ({ app }) => {
    const stepped = new SteppedKeyValue(app.get(KeyValue));
    return withBlog(urls, (second) => body(new Instance(app, stepped, second.app)), {
      override: [provide(KeyValue, () => stepped), provide(DatabaseKeyValue, () => stepped)],
    });
  });
}

function withPair(storage: Storage, body: (pair: Pair) => Promise<void>): Promise<void> {
  return storage.with((urls) =>
    withInstance(urls, (a) =>
      withInstance(urls, async (b) => {
        const author = await a.users.create({ email: uniqueEmail(), password: "correct horse", name: "Ada" });
        await body({ a, b, authorId: author?.id ?? "" });
      }),
    ),
  );
}

type Spec = (pair: Pair) => Promise<void>;

/** Runs a write of an instance, and tells when it waits for the lock of a transaction. */
function untilBlocked<T>({ db }: Instance, holder: ControlledTransaction<Schema>, write: () => Promise<T>) {
  const begun = Promise.withResolvers<void>();
  const note = (message: unknown) => {
    const { sql } = message as { readonly sql: string }; // as the channel is documented
    if (sql.startsWith("begin")) begun.resolve();
  };
  const untilWaits = async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(holder);
    const waiting = sql`select pid from pg_stat_activity where ${rows[0]?.pid} = any(pg_blocking_pids(pid))`;
    await until(async () => (await waiting.execute(db)).rows.length > 0, "statement that waits");
  };
  const untilRefused = async () => {
    await begun.promise; // SQLite refuses the statement in this turn; it is tried again later
    await turn();
    unsubscribe("tracing:tenon.sql:start", note);
  };
  if (db.kind === "sqlite") subscribe("tracing:tenon.sql:start", note);
  const result = write();
  return { result, blocked: db.kind === "sqlite" ? untilRefused() : untilWaits() };
}

let keys = 0;
const newKey = () => `isolation:${process.pid}:${keys++}`;

/** Each is a script: the steps of two instances in one order, and the expected result. */
const keyValueSpecs: Readonly<Record<string, Spec>> = {
  "set a, take a, take b: a gets the value, b nothing": async ({ a, b }) => {
    const key = newKey();
    await a.store.set(key, 1);
    assert.equal(await a.store.take(key), 1);
    assert.equal(await b.store.take(key), undefined);
  },
  "set a, take b, take a: b gets the value": async ({ a, b }) => {
    const key = newKey();
    await a.store.set(key, 1);
    assert.equal(await b.store.take(key), 1);
    assert.equal(await a.store.take(key), undefined);
  },
  "set a, delete b, take a: nothing is left": async ({ a, b }) => {
    const key = newKey();
    await a.store.set(key, 1);
    assert.equal(await b.store.delete(key), true);
    assert.equal(await a.store.take(key), undefined);
  },
  "take a, set b, take a: the new value": async ({ a, b }) => {
    const key = newKey();
    assert.equal(await a.store.take(key), undefined);
    await b.store.set(key, 2);
    assert.equal(await a.store.take(key), 2);
  },
  "get a, set b, get a: no stale value": async ({ a, b }) => {
    const key = newKey();
    await a.store.set(key, 1);
    assert.equal(await a.store.get(key), 1);
    await b.store.set(key, 2);
    assert.equal(await a.store.get(key), 2);
  },
  "increment a, b, a: each sees the others": async ({ a, b }) => {
    const key = newKey();
    const counts = [await a.store.increment(key), await b.store.increment(key), await a.store.increment(key)];
    assert.deepEqual(counts, [1, 2, 3]);
  },
  "increment a, delete b, increment a: the count restarts": async ({ a, b }) => {
    const key = newKey();
    await a.store.increment(key);
    await b.store.delete(key);
    assert.equal(await a.store.increment(key), 1);
  },
  "set a to a text, increment b: refused, and the text stays": async ({ a, b }) => {
    const key = newKey();
    await a.store.set(key, "text");
    await assert.rejects(b.store.increment(key), TypeError);
    assert.equal(await a.store.get(key), "text");
  },
};

const authSpecs: Readonly<Record<string, Spec>> = {
  "session: create a, find b": async ({ a, b }) => {
    const id = await a.sessions.create("ada");
    assert.equal((await b.sessions.find(id))?.user_id, "ada");
  },
  "session: create a, destroy b, find a": async ({ a, b }) => {
    const id = await a.sessions.create("ada");
    await b.sessions.destroy(id);
    assert.equal(await a.sessions.find(id), undefined);
  },
  "session: b destroys it while a's read is held": async ({ a, b }) => {
    const id = await a.sessions.create("ada");
    const reading = { store: a.stepped, run: () => a.sessions.find(id) };
    const destroying = { store: b.stepped, run: () => b.sessions.destroy(id) };
    assert.equal((await runInOrder("ba", reading, destroying)).a, undefined);
  },
  "refresh: a completes, then b: b loses, and the family is revoked": async ({ a, b }) => {
    const token = await a.tokens.generate("ada");
    const { a: won, b: lost } = await runInOrder("aaaaaabbbb", a.refreshing(token), b.refreshing(token));
    assert.equal(lost, undefined);
    assert.equal(await b.tokens.refresh(won?.refreshToken ?? ""), undefined, "the family is revoked");
  },
  "refresh: both read, a takes, b takes": async ({ a, b }) => {
    const token = await a.tokens.generate("ada");
    const { a: won, b: lost } = await runInOrder("aaabbbab", a.refreshing(token), b.refreshing(token));
    assert.deepEqual([won === undefined, lost === undefined], [false, true]);
  },
  "refresh: both read, b takes, a takes": async ({ a, b }) => {
    const token = await a.tokens.generate("ada");
    const { a: lost, b: won } = await runInOrder("aaabbbba", a.refreshing(token), b.refreshing(token));
    assert.deepEqual([won === undefined, lost === undefined], [false, true]);
  },
  "refresh against revoke: b revokes before a reads": async ({ a, b }) => {
    const token = await a.tokens.generate("ada");
    assert.equal((await runInOrder("bbaa", a.refreshing(token), b.revoking(token))).a, undefined);
  },
  "refresh against revoke: a has read, b revokes, a takes: the token of a is invalid": async ({ a, b }) => {
    const token = await a.tokens.generate("ada");
    const { a: refreshed } = await runInOrder("aaabbaaa", a.refreshing(token), b.revoking(token));
    assert.equal(await b.tokens.refresh(refreshed?.refreshToken ?? ""), undefined);
    assert.equal(await a.tokens.refresh(token), undefined);
  },
  "refresh against revoke: a has taken, b revokes, a issues: the token of a is invalid": async ({ a, b }) => {
    const token = await a.tokens.generate("ada");
    const { a: refreshed } = await runInOrder("aaaabbaa", a.refreshing(token), b.revoking(token));
    assert.equal(await b.tokens.refresh(refreshed?.refreshToken ?? ""), undefined);
  },
};

const databaseSpecs: Readonly<Record<string, Spec>> = {
  "register a, register b in another spelling: b is refused": async ({ a, b }) => {
    const email = uniqueEmail();
    const user = { email, password: "correct horse", name: "Ada" };
    assert.ok((await a.users.create(user)) !== undefined);
    assert.equal(await b.users.create({ ...user, email: email.toUpperCase() }), undefined);
  },
  "PUT a, DELETE b, read a": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "t", content: "c" });
    await a.posts.replace(id, { title: "u" });
    await b.posts.delete(id);
    assert.equal(await a.posts.find(id), undefined);
  },
  "DELETE b, PUT a: not found, and the post is not restored": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "t", content: "c" });
    await b.posts.delete(id);
    await assert.rejects(a.posts.replace(id, { title: "u" }), { message: "record not found" });
    assert.equal(await b.posts.find(id), undefined);
  },
  "PATCH title a, PATCH content b: both are kept, and updated_at grows": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "t", content: "c" });
    const first = await a.posts.patch(id, { title: "u" });
    const second = await b.posts.patch(id, { content: "d" });
    assert.deepEqual([second?.title, second?.content], ["u", "d"]);
    assert.ok((second?.updated_at ?? "") > (first?.updated_at ?? "z"));
  },
  "a transaction of a is not seen by b before it is committed": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "before", content: "c" });
    const inside = await a.db.startTransaction().execute();
    await inside.updateTable("posts").set({ title: "after" }).where("id", "=", id).execute();
    assert.equal((await b.posts.find(id))?.title, "before");
    await inside.commit().execute();
    assert.equal((await b.posts.find(id))?.title, "after");
  },
  "a transaction of a that is rolled back has no effect": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "before", content: "c" });
    const inside = await a.db.startTransaction().execute();
    await inside.deleteFrom("posts").where("id", "=", id).execute();
    await inside.rollback().execute();
    assert.equal((await b.posts.find(id))?.title, "before");
  },
  "b's PATCH waits for a's transaction and is applied after it": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "before", content: "c" });
    const inside = await a.db.startTransaction().execute();
    await inside.updateTable("posts").set({ title: "of a" }).where("id", "=", id).execute();
    const patching = untilBlocked(b, inside, () => b.posts.patch(id, { content: "of b" }));
    await patching.blocked;
    await inside.commit().execute();
    const patched = await patching.result;
    assert.deepEqual([patched?.title, patched?.content], ["of a", "of b"]);
  },
  "b's PATCH waits for a's transaction, which deletes the post: not found": async ({ a, b, authorId }) => {
    const { id } = await a.posts.create(authorId, { title: "before", content: "c" });
    const inside = await a.db.startTransaction().execute();
    await inside.deleteFrom("posts").where("id", "=", id).execute();
    const patching = untilBlocked(b, inside, () => b.posts.patch(id, { content: "of b" }));
    await patching.blocked;
    await inside.commit().execute();
    assert.equal(await patching.result, undefined);
  },
  "API key: validate a, revoke b, validate a": async ({ a, b, authorId }) => {
    const { key, record } = await a.keys.create(authorId, { scopes: "all" });
    assert.equal((await a.keys.validate(key))?.id, record.id);
    assert.equal(await b.keys.revoke(authorId, record.id), true);
    assert.equal(await a.keys.validate(key), undefined);
  },
  "migrate a, migrate b: each migration runs once": async ({ a, b }) => {
    const name = `isolation-${keys++}`;
    const table = name.replace("-", "_");
    const migrations: Migration[] = [{ name, up: (db) => sql`create table ${sql.table(table)} (id text)`.execute(db) }];
    assert.deepEqual([await migrate(a.db, migrations), await migrate(b.db, migrations)], [[name], []]);
  },
};

for (const storage of sharedStorages) {
  describe(`Scripts of two instances (${storage.name})`, () => {
    const held = hold<Pair>((use) => withPair(storage, use));
    before(() => held.open());
    after(() => held.close());
    // the storage with Redis uses the same PostgreSQL
    const specs = { ...keyValueSpecs, ...authSpecs, ...(storage.name.includes("Redis") ? {} : databaseSpecs) };
    for (const [name, spec] of Object.entries(specs)) {
      test(`${name} (V1)`, async () => {
        await spec(held.value);
        noteFigures({ store: storage.name, specs: 1 });
      });
    }
  });
}
