import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Database, type DataOptions, KeyValue, StoreError } from "@tenon/data";
import { type Kysely, sql } from "kysely";
import { endProcess, startProcess } from "../support/processes.ts";
import { withFolder } from "../support/services.ts";
import { settle } from "../support/settle.ts";
import { withStores } from "../support/stores.ts";

const full = process.env.TENON_FULL === "1";

async function withTable(
  body: (db: Database, path: string) => Promise<void>,
  sqlite: DataOptions["sqlite"] = { lockTimeout: 30_000 },
): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, "app.db");
    await withStores({ database: `sqlite:${path}`, sqlite }, async (app) => {
      const db = app.get(Database);
      await sql`create table notes (id integer primary key, title text)`.execute(db);
      await body(db, path);
    });
  });
}
const insert = (db: Kysely<unknown>) => sql`insert into notes (title) values ('a')`.execute(db);
const read = (db: Database) => sql`select * from notes`.execute(db);

test("writes wait and succeed on a file locked for less than the timeout, reads go on, and the event loop is not blocked", () =>
  withTable(async (db, path) => {
    const holder = await startProcess("hold-lock.ts", [path]);
    const writes = Promise.all([insert(db), db.transaction().execute((inside) => insert(inside))]);
    for (let turns = 0; turns < 20; turns++) {
      assert.deepEqual((await read(db)).rows, []);
      await turn();
    }
    holder.send("release");
    await writes;
    assert.equal((await read(db)).rows.length, 2);
    await endProcess(holder);
  }));

test("writes fail with the store's message on a file locked for longer than the timeout, and reads go on", () =>
  withTable(
    async (db, path) => {
      const holder = await startProcess("hold-lock.ts", [path]);
      const writes = [settle(insert(db)), settle(db.transaction().execute((inside) => insert(inside)))];
      assert.deepEqual((await read(db)).rows, []);
      for (const { error } of await Promise.all(writes)) {
        assert.ok(error instanceof StoreError);
        assert.equal(error.message, "store unavailable");
      }
      await endProcess(holder);
      await insert(db);
      assert.equal((await read(db)).rows.length, 1);
    },
    { lockTimeout: full ? 5000 : 500 },
  ));

test("a full disk fails writes with the store's message, reads go on, and writes work again when there is room", () =>
  withFolder(async (folder) => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    if (!mountSmallDisk(disk)) {
      process.stdout.write("left out: the test of a full disk (it mounts one, which needs root on Linux)\n");
      return;
    }
    try {
      const path = join(disk, "app.db");
      const ballast = join(disk, "ballast");
      await withStores({ database: `sqlite:${path}` }, async (app) => {
        const db = app.get(Database);
        const store = app.get(KeyValue);
        await sql`create table notes (id integer primary key, title text)`.execute(db);
        await insert(db);
        fill(ballast);
        const row = "x".repeat(50_000);
        let failure: unknown;
        for (let attempt = 0; attempt < 100 && failure === undefined; attempt++) {
          const { error } = await settle(sql`insert into notes (title) values (${row})`.execute(db));
          failure = error;
        }
        assert.ok(failure instanceof StoreError);
        assert.equal(failure.message, "store unavailable");
        const before = (await read(db)).rows.length;
        assert.ok(before >= 1, "reads go on");
        await assert.rejects(
          db.transaction().execute((inside) => sql`insert into notes (title) values (${row})`.execute(inside)),
          { message: "store unavailable" },
        );
        await assert.rejects(store.set("large", row), { message: "store unavailable" });

        rmSync(ballast);
        await insert(db);
        await store.set("large", row);
        await db.transaction().execute((inside) => insert(inside));
        assert.equal((await read(db)).rows.length, before + 2);
      });
      const check = new DatabaseSync(path);
      assert.deepEqual({ ...check.prepare("pragma integrity_check").get() }, { integrity_check: "ok" });
      check.close();
    } finally {
      execFileSync("umount", [disk]);
    }
  }));

function mountSmallDisk(disk: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Leaves a little room, so that the table exists and the next large row does not fit. */
function fill(path: string): void {
  for (let size = 2_000_000; size > 4096; size = Math.floor(size / 2)) {
    try {
      writeFileSync(path, "x".repeat(size), { flag: "a" });
    } catch {
      // as much as fits was written
    }
  }
}

test("the file is in WAL mode, synchronous full, with foreign keys", () =>
  withFolder((folder) =>
    withStores({ database: `sqlite:${join(folder, "deep/er/app.db")}` }, async (app) => {
      const db = app.get(Database);
      assert.deepEqual((await sql`pragma journal_mode`.execute(db)).rows, [{ journal_mode: "wal" }]);
      assert.deepEqual((await sql`pragma synchronous`.execute(db)).rows, [{ synchronous: 2 }]);
      assert.deepEqual((await sql`pragma foreign_keys`.execute(db)).rows, [{ foreign_keys: 1 }]);
    }),
  ));

// without it, a program with an older SQLite (such as 3.40) deletes the log when it closes the file that we still write to
test(
  "the lock that marks the file as in use outlives the second connection",
  { skip: !existsSync("/proc/locks") },
  () =>
    withTable(async (db, path) => {
      await db.transaction().execute((inside) => insert(inside)); // opens it
      const locks = readFileSync("/proc/locks", "utf8").split("\n");
      const ours = locks.filter(
        (line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `),
      );
      assert.equal(ours.length, 1, locks.join("\n"));
    }),
);

test("database and key-value store share one file", () =>
  withFolder(async (folder) => {
    const path = join(folder, "app.db");
    await withStores({ database: `sqlite:${path}` }, async (app) => {
      await app.get(KeyValue).set("a", 1);
      const { rows } = await sql`select value from tenon_key_value where key = 'a'`.execute(app.get(Database));
      assert.deepEqual(rows, [{ value: "1" }]);
    });
    await withStores({ database: `sqlite:${path}` }, async (app) => {
      assert.equal(await app.get(KeyValue).get("a"), 1, "the value is there after a restart");
    });
  }));

test("a new file and its folder are accessible to their owner only", () =>
  withFolder(async (folder) => {
    const path = join(folder, "private/app.db");
    await withStores({ database: `sqlite:${path}` }, async (app) => {
      await app.get(KeyValue).set("a", 1);
      const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
      assert.deepEqual([mode(join(folder, "private")), mode(path), mode(`${path}-wal`)], ["700", "600", "600"]);
    });
  }));
