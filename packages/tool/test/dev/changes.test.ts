import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { Changes, isWatchedFile } from "../../src/dev/changes.ts";

test("source, views, assets and environment files are watched", () => {
  for (const path of [
    "src/main.ts",
    "src/data/data.module.ts",
    "views/posts/index.eta",
    "assets/style.css",
    ".env",
    ".env.local",
    "package.json",
    "package-lock.json",
  ]) {
    assert.equal(isWatchedFile(path), true, path);
  }
});

test("packages, builds, tests, databases, logs and the files of editors are not", () => {
  for (const path of [
    "node_modules/pino/index.js",
    "src/node_modules/x/index.ts",
    ".git/config.json",
    "data/app.db",
    "data/notes.json",
    "app.db-wal",
    "app.sqlite",
    "server.log",
    "dist/main.js",
    "test/posts.test.ts",
    "src/posts.test.ts",
    "src/.main.ts.swp",
    "src/main.ts~",
    "src/4913",
    ".environment",
    "uploads/photo.jpg",
  ]) {
    assert.equal(isWatchedFile(path), false, path);
  }
});

/** Fulfilled when the file was reported; the test fails at its timeout otherwise. */
function watching(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder("changes");
  writeFiles(folder, files);
  const seen: string[] = [];
  const events = new EventEmitter();
  const changes = new Changes(folder, (file) => events.emit("seen", seen.push(file)));
  t.after(() => changes.close());
  const until = async (file: string) => {
    while (!seen.includes(file)) await once(events, "seen", { signal: t.signal });
  };
  return { folder, seen, until };
}

test("a changed, a new and a deleted file are reported", { timeout: 240_000 }, async (t) => {
  const { folder, seen, until } = watching(t, { "src/posts/posts.service.ts": "", "src/old.ts": "" });
  writeFileSync(join(folder, "src/posts/posts.service.ts"), "1");
  await until("src/posts/posts.service.ts");
  writeFileSync(join(folder, ".env"), "A=1");
  await until(".env");
  rmSync(join(folder, "src/old.ts"));
  await until("src/old.ts");
  seen.length = 0;
  renameSync(join(folder, ".env"), join(folder, "src/moved.ts"));
  await until("src/moved.ts");
});

test("folders that appear later are watched, and those that are replaced", { timeout: 240_000 }, async (t) => {
  const { folder, seen, until } = watching(t, { "src/main.ts": "" });
  mkdirSync(join(folder, "src/a/b"), { recursive: true });
  writeFileSync(join(folder, "src/a/b/first.ts"), "");
  await until("src/a/b/first.ts");
  renameSync(join(folder, "src/a"), join(folder, "src/c"));
  await until("src/c/b/first.ts");
  writeFileSync(join(folder, "src/c/b/first.ts"), "1");
  rmSync(join(folder, "src/c"), { recursive: true });
  seen.length = 0;
  mkdirSync(join(folder, "src/c/b"), { recursive: true });
  writeFileSync(join(folder, "src/c/b/second.ts"), "");
  await until("src/c/b/second.ts");
});

test("ignored folders are not watched", { timeout: 240_000 }, async (t) => {
  const { folder, seen, until } = watching(t, { "node_modules/x/index.js": "", "data/a.json": "", "src/main.ts": "" });
  writeFileSync(join(folder, "node_modules/x/index.js"), "1");
  writeFileSync(join(folder, "data/a.json"), "1");
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist/main.js"), "1");
  writeFileSync(join(folder, "src/main.ts"), "1");
  await until("src/main.ts");
  assert.deepEqual([...new Set(seen)], ["src/main.ts"]);
});

test("a folder that does not exist has no changes", () => {
  new Changes("/no/such/folder", () => {}).close();
});
