import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { SqliteFile } from "../../src/database/sqlite-file.ts";
import { runProcess } from "../support/processes.ts";
import { withFolder } from "../support/services.ts";
import { recovered } from "../support/settle.ts";

const page = 4096;
const insert = "insert into notes (text) values (?)";
const pages = (count: number) => "x".repeat(count * page);

async function withFile(body: (file: SqliteFile, path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, "app.db");
    const file = new SqliteFile(path, {}, (error) => assert.fail(String(error)));
    await file.execute("create table notes (id integer primary key, text text)", []);
    try {
      await body(file, path);
    } finally {
      await file.close();
    }
  });
}

const sizeOf = (path: string) => statSync(path).size;

/** The number of connections of this process to the file, as the system counts them. */
function connectionsTo(path: string): number {
  const names = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return ""; // the descriptor with which the folder was read
    }
  });
  return names.filter((name) => name === `${path}-wal`).length;
}

test("a statement never waits for a checkpoint: a thread copies the log, and the log restarts", () =>
  withFile(async (file, path) => {
    const before = sizeOf(path);
    for (let row = 0; row < 140; row++) file.executeNow(insert, [pages(10)]); // the thread would start with the 144th
    assert.ok(sizeOf(`${path}-wal`) > 1400 * page, "all of it is in the log");
    assert.equal(sizeOf(path), before, "and nothing in the file: no statement has copied it");
    for (let row = 0; row < 460; row++) file.executeNow(insert, [pages(10)]);
    await recovered(async () => {
      file.executeNow(insert, ["small"]); // the first one after a complete copy restarts the log and truncates it
      assert.ok(sizeOf(`${path}-wal`) <= 4000 * page);
    });
    assert.ok(sizeOf(path) > 6000 * page, "now it is in the file");
  }));

test("the log stays bounded under constant writes", () =>
  withFile(async (file, path) => {
    const written = 24_000;
    let largest = 0;
    for (let row = 0; row < written / 50; row++) {
      file.executeNow(insert, [pages(50)]);
      largest = Math.max(largest, sizeOf(`${path}-wal`));
      await turn();
    }
    assert.ok(largest < (written * 2 * page) / 3, `${largest / page} pages in the log`);
  }));

test("a slow reader holds the log, but blocks neither writers nor the process", () =>
  withFile(async (file, path) => {
    for (let row = 0; row < 2; row++) file.executeNow(insert, ["small"]);
    const reader = file.iterate("select * from notes", []);
    await reader.next();
    for (let row = 0; row < 500; row++) {
      assert.ok(file.executeNow(insert, [pages(10)]));
      await turn();
    }
    await reader.return(undefined);
    await recovered(async () => {
      file.executeNow(insert, ["small"]);
      assert.ok(sizeOf(`${path}-wal`) <= 4000 * page);
    });
  }));

test("transactions commit while the log is copied", () =>
  withFile(async (file) => {
    for (let round = 0; round < 60; round++) {
      const transaction = await file.begin();
      for (let row = 0; row < 5; row++) transaction.execute(insert, [pages(20)]);
      await turn();
      await transaction.commit();
    }
    assert.deepEqual((await file.execute("select count(*) as count from notes", [])).rows, [{ count: 300 }]);
  }));

test(
  "a close ends the thread and leaves one file with every row, and a small log starts no thread",
  {
    skip: !existsSync("/proc/self/fd"),
  },
  () =>
    withFile(async (file, path) => {
      for (let row = 0; row < 260; row++) file.executeNow(insert, ["small"]);
      await turn();
      assert.equal(connectionsTo(path), 1);
      for (let row = 0; row < 300; row++) file.executeNow(insert, [pages(10)]);
      await recovered(async () => assert.equal(connectionsTo(path), 2, "the thread has a connection of its own"));
      await file.close();
      assert.equal(connectionsTo(path), 0);
      assert.equal(existsSync(`${path}-wal`), false);
      const check = new DatabaseSync(path);
      assert.deepEqual({ ...check.prepare("pragma integrity_check").get() }, { integrity_check: "ok" });
      assert.deepEqual({ ...check.prepare("select count(*) as count from notes").get() }, { count: 560 });
      check.close();
    }),
);

test("a closed file can be opened again, with a new thread", () =>
  withFile(async (file, path) => {
    for (let round = 0; round < 2; round++) {
      const before = sizeOf(path);
      for (let row = 0; row < 150; row++) await file.execute(insert, [pages(10)]);
      await recovered(async () => assert.ok(sizeOf(path) > before));
      await file.close();
    }
    assert.deepEqual((await file.execute("select count(*) as count from notes", [])).rows, [{ count: 300 }]);
  }));

test("SQLite checkpoints itself where no thread can start, and one warning is logged", () =>
  withFolder(async (folder) => {
    const path = join(folder, "app.db");
    const options = JSON.stringify({ database: `sqlite:${path}` });
    const args = [options, "300", String(10 * page)];
    const { signal, stdout } = runProcess("write-without-threads.ts", args, {
      nodeOptions: ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-addons"],
    });
    assert.equal(signal, "SIGKILL");
    assert.equal(stdout.match(/the thread for SQLite checkpoints failed/g)?.length, 1, stdout);
    assert.ok(sizeOf(`${path}-wal`) < 1800 * page, `${sizeOf(`${path}-wal`) / page} pages in the log`);
    const check = new DatabaseSync(path);
    assert.deepEqual({ ...check.prepare("select count(*) as count from notes").get() }, { count: 300 });
    check.close();
  }));
