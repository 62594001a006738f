import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { SqliteFile } from "../../src/database/sqlite-file.ts";
import { withFolder } from "../support/services.ts";

const page = 4096;
const insert = "insert into notes (text) values (?)";
const pages = (count: number) => "x".repeat(count * page);

async function withFile(body: (file: SqliteFile, path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, "app.db");
    const file = new SqliteFile(path);
    await file.execute("create table notes (id integer primary key, text text)", []);
    try {
      await body(file, path);
    } finally {
      await file.close();
    }
  });
}

const sizeOf = (path: string) => statSync(path).size;

test("the log stays bounded under constant writes", () =>
  withFile(async (file, path) => {
    const written = 24_000;
    let largest = 0;
    for (let row = 0; row < written / 50; row++) {
      file.executeNow(insert, [pages(50)]);
      largest = Math.max(largest, sizeOf(`${path}-wal`));
      await turn();
    }
    assert.ok(largest < 1200 * page, `${largest / page} pages in the log`);
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
    for (let row = 0; row < 2; row++) file.executeNow(insert, ["small"]); // the first copies the log, the second restarts it
    assert.ok(sizeOf(`${path}-wal`) <= 4000 * page);
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

test("a close leaves one file with every row", () =>
  withFile(async (file, path) => {
    for (let row = 0; row < 300; row++) file.executeNow(insert, [pages(10)]);
    await file.close();
    assert.equal(existsSync(`${path}-wal`), false);
    const check = new DatabaseSync(path);
    assert.deepEqual({ ...check.prepare("pragma integrity_check").get() }, { integrity_check: "ok" });
    assert.deepEqual({ ...check.prepare("select count(*) as count from notes").get() }, { count: 300 });
    check.close();
  }));

test("a closed file can be opened again", () =>
  withFile(async (file) => {
    for (let round = 0; round < 2; round++) {
      for (let row = 0; row < 150; row++) await file.execute(insert, [pages(10)]);
      await file.close();
    }
    assert.deepEqual((await file.execute("select count(*) as count from notes", [])).rows, [{ count: 300 }]);
  }));
