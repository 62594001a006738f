import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { type ApiKeyRecord, ApiKeys } from "@tenon/auth";
import { BindError } from "@tenon/core";
import { Database, Migrations } from "@tenon/data";
import { sql } from "kysely";
import { databases } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

const secondsFromNow = (parts: AuthApp, seconds: number) => new Date(parts.clock.now() + seconds * 1000).toISOString();

for (const adapter of databases) {
  describe(`API keys on ${adapter.name}`, () => {
    const run = (name: string, body: (keys: ApiKeys, parts: AuthApp) => Promise<void>) =>
      test(name, () => adapter.with((data) => withAuth({ data }, (parts) => body(parts.app.get(ApiKeys), parts))));

    run("a key is tnn_ and 256 random bits, and its record names the owner", async (keys, parts) => {
      const { key, record } = await keys.create("ada", { scopes: "all", name: "ci" });
      assert.match(key, /^tnn_[A-Za-z0-9_-]{43}$/);
      assert.equal(Buffer.from(key.slice(4), "base64url").length, 32);
      const { id, ...rest } = record;
      assert.match(id, /^[0-9a-f-]{36}$/);
      assert.deepEqual(rest, {
        user_id: "ada",
        name: "ci",
        created_at: parts.clock.timestamp(),
        expires_at: null,
        last_used_at: null,
        scopes: null,
      } satisfies Omit<ApiKeyRecord, "id">);
      assert.deepEqual(await keys.validate(key), record);
    });

    run(
      "a key is returned once: neither list nor validate returns it again, and the table holds its digest",
      async (keys, { app }) => {
        const { key } = await keys.create("ada", { scopes: "all" });
        const shown = JSON.stringify([await keys.list("ada"), await keys.validate(key)]);
        const { rows } = await sql`select * from api_keys`.execute(app.get(Database));
        const stored = JSON.stringify(rows);
        for (const text of [shown, stored]) assert.ok(!text.includes(key.slice(4)));
        const digest = createHash("sha256").update(key).digest("hex");
        assert.ok(stored.includes(digest));
        assert.ok(!shown.includes(digest));
      },
    );

    run("a listener is called in the transaction that creates or revokes a key, and fails with it", async (keys) => {
      const changes: string[] = [];
      keys.onChange(async ({ event, userId, ctx }) => {
        if (userId === "eve") throw new Error("rolled back");
        changes.push(`${event} of ${userId} by ${ctx}`);
      });
      await assert.rejects(keys.create("eve", { scopes: "all" }), /rolled back/);
      assert.deepEqual(await keys.list("eve"), []);
      const { id } = (await keys.create("ada", { scopes: "all" })).record;
      assert.deepEqual([await keys.revoke("bob", id), await keys.revoke("ada", id)], [false, true]);
      assert.equal(await keys.revoke("ada", id), false);
      assert.deepEqual(changes, ["api key created of ada by undefined", "api key revoked of ada by undefined"]);
    });

    run("text that is not an issued key is not accepted", async (keys) => {
      const { key } = await keys.create("ada", { scopes: "all" });
      const digest = createHash("sha256").update(key).digest("hex");
      const wrong = [
        "",
        "tnn_",
        key.slice(4),
        key.toLowerCase(),
        `${key}A`,
        key.slice(0, -1),
        ` ${key}`,
        digest,
        "'",
        "x".repeat(9000),
      ];
      for (const text of wrong) assert.equal(await keys.validate(text), undefined, text);
      assert.ok(await keys.validate(key));
    });

    run("a key is valid until the second before its expiry and invalid at its expiry", async (keys, parts) => {
      const { key, record } = await keys.create("ada", { scopes: "all", expiresAt: secondsFromNow(parts, 3600) });
      assert.equal(record.expires_at, secondsFromNow(parts, 3600));
      parts.clock.advance("3599s");
      assert.equal((await keys.validate(key))?.id, record.id);
      parts.clock.advance("1s");
      assert.equal(await keys.validate(key), undefined);
      assert.equal((await keys.list("ada")).length, 1, "its owner still sees it");
    });

    run("an expiry in another time zone is the same moment", async (keys, parts) => {
      const { key, record } = await keys.create("ada", { scopes: "all", expiresAt: "2026-03-01T14:00:01+02:00" });
      assert.equal(record.expires_at, "2026-03-01T12:00:01.000Z");
      assert.ok(await keys.validate(key));
      parts.clock.advance("1s");
      assert.equal(await keys.validate(key), undefined);
    });

    run("a revoked key is invalid at once, and only its owner can revoke it", async (keys) => {
      const { key, record } = await keys.create("ada", { scopes: "all" });
      const { key: other } = await keys.create("ada", { scopes: "all" });
      assert.equal(await keys.revoke("eve", record.id), false);
      assert.ok(await keys.validate(key));
      assert.equal(await keys.revoke("ada", record.id), true);
      assert.equal(await keys.validate(key), undefined);
      assert.equal(await keys.revoke("ada", record.id), false);
      assert.equal(await keys.revoke("ada", "no such key"), false);
      assert.equal(await keys.revoke("ada", "\0"), false);
      assert.ok(await keys.validate(other));
    });

    run("a list has only the owner's keys, newest first", async (keys, { clock }) => {
      for (const name of ["first", "second", "third"]) {
        await keys.create("ada", { scopes: "all", name });
        clock.advance("1s");
      }
      await keys.create("eve", { scopes: "all", name: "hers" });
      assert.deepEqual(
        (await keys.list("ada")).map(({ name }) => name),
        ["third", "second", "first"],
      );
      assert.deepEqual(
        (await keys.list("eve")).map(({ name }) => name),
        ["hers"],
      );
      assert.deepEqual(await keys.list("unknown"), []);
    });

    run("the time of the last use is written at most once a minute", async (keys, { clock, log }) => {
      const { key } = await keys.create("ada", { scopes: "all" });
      await keys.validate(key);
      const used = async () => (await keys.list("ada"))[0]?.last_used_at;
      const use = async () => {
        const record = await keys.validate(key);
        if (record !== undefined) await keys.noteUse(record);
      };
      const start = clock.timestamp();
      assert.equal(await used(), null, "validating a key is not using it");
      await Promise.all(Array.from({ length: 10 }, use));
      assert.equal(await used(), start);
      clock.advance("59s");
      await use();
      assert.equal(await used(), start);
      clock.advance("1s");
      await Promise.all(Array.from({ length: 10 }, use));
      assert.equal(await used(), clock.timestamp());
      assert.equal(log.all.filter((line) => line.event === "api key used").length, 2, "one event for each write");
    });

    run("all keys of one user are revoked, in a transaction that may be rolled back", async (keys, { app }) => {
      const [first, , other] = [
        await keys.create("ada", { scopes: "all" }),
        await keys.create("ada", { scopes: "all" }),
        await keys.create("bob", { scopes: "all" }),
      ];
      const transaction = await app.get(Database).startTransaction().execute();
      assert.equal(await keys.revokeAll("ada", transaction), 2);
      await transaction.rollback().execute();
      assert.ok(await keys.validate(first.key));
      assert.equal(await keys.revokeAll("ada"), 2);
      assert.equal(await keys.revokeAll("ada"), 0);
      assert.equal(await keys.validate(first.key), undefined);
      assert.ok(await keys.validate(other.key));
    });

    run("the table is a migration of the application, which runs once and can be reverted", async (keys, { app }) => {
      const migrations = app.get(Migrations);
      assert.deepEqual(await migrations.up(), []);
      assert.equal((await migrations.down({ to: "auth-001-api-keys" })).at(-1), "auth-002-api-key-scopes");
      assert.deepEqual(await migrations.down(), ["auth-001-api-keys"]);
      assert.deepEqual((await migrations.up()).slice(0, 2), ["auth-001-api-keys", "auth-002-api-key-scopes"]);
      assert.ok(await keys.create("ada", { scopes: "all" }));
    });

    run("a key of a table without scopes has none that limit it after the migration", async (keys, { app }) => {
      const migrations = app.get(Migrations);
      const { key } = await keys.create("ada", { scopes: ["a"] });
      await migrations.down({ to: "auth-001-api-keys" });
      await migrations.up();
      assert.equal((await keys.validate(key))?.scopes, null);
    });

    run("scopes are stored as they were given, each once", async (keys) => {
      for (const [given, stored] of [
        [
          ["posts:write", "https://example.com/a", "!", "posts:write"],
          ["posts:write", "https://example.com/a", "!"],
        ],
        [[], []],
        ["all", null],
      ] as const) {
        const { key, record } = await keys.create("ada", { scopes: given });
        assert.deepEqual(record.scopes, stored);
        assert.deepEqual(await keys.validate(key), record);
        const listed = await keys.list("ada");
        assert.deepEqual(listed.find(({ id }) => id === record.id)?.scopes, stored);
      }
    });
  });
}

test("an expiry that is not a future time, or is past the year 9999, gets 400", () =>
  withAuth({}, async ({ app, clock }) => {
    for (const expiresAt of [
      clock.timestamp(),
      "2020-01-01T00:00:00Z",
      "2030-02-30T00:00:00Z",
      "2030-01-01",
      "",
      "soon",
      "2026-13-01T00:00:00Z",
      "+010000-01-01T00:00:00Z",
      "9999-12-31T23:59:59-01:00",
      "-000001-01-01T00:00:00Z",
      "2030-01-01T00:00:00",
      "2030-01-01T00:00:00.000",
    ]) {
      await assert.rejects(app.get(ApiKeys).create("ada", { scopes: "all", expiresAt }), (error: unknown) => {
        assert.ok(error instanceof BindError, expiresAt);
        assert.deepEqual(
          error.issues.map(({ path }) => path),
          ["expires_at"],
        );
        return true;
      });
    }
    assert.deepEqual(await app.get(ApiKeys).list("ada"), []);
  }));

test("a key without scopes is not created: everything must be asked for", () =>
  withAuth({}, async ({ app }) => {
    const keys = app.get(ApiKeys);
    for (const options of [{}, { scopes: undefined }, { scope: ["posts:read"] }, { scopes: "posts:read" }]) {
      await assert.rejects(keys.create("ada", options as never)); // the compiler refuses them
    }
    assert.deepEqual(await keys.list("ada"), []);
  }));

test("scopes that are not well-formed, or more than 50, get 400", () =>
  withAuth({}, async ({ app }) => {
    const keys = app.get(ApiKeys);
    const names = Array.from({ length: 51 }, (_, index) => `s${index}`);
    for (const [scopes, path] of [
      [["a", ""], "scopes.1"],
      [["a b"], "scopes.0"],
      [['"'], "scopes.0"],
      [["\\"], "scopes.0"],
      [["é"], "scopes.0"],
      [["a\n"], "scopes.0"],
      [["\0"], "scopes.0"],
      [["x".repeat(101)], "scopes.0"],
      [names, "scopes"],
    ] as const) {
      await assert.rejects(keys.create("ada", { scopes }), (error: unknown) => {
        assert.ok(error instanceof BindError, path);
        assert.deepEqual(
          error.issues.map((issue) => issue.path),
          [path],
        );
        return true;
      });
    }
    assert.deepEqual(await keys.list("ada"), []);
    const most = await keys.create("ada", { scopes: [...names.slice(1, 50), "x".repeat(100)] });
    assert.equal((await keys.validate(most.key))?.scopes?.length, 50);
  }));
