import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { until } from "../../../packages/core/test/support/until.ts";
import { withFolder } from "../../../packages/data/test/support/services.ts";
import { createAppModule } from "../src/app.module.ts";
import type { Post } from "../src/posts/post.ts";
import { toConfig, withBlog } from "./support/blog.ts";
import { storages } from "./support/storages.ts";

async function runBackup(databaseUrl: string, file: string) {
  const config = toConfig({ databaseUrl, redisUrl: undefined });
  const app = await createTestApp(createAppModule(), cli({ name: "blog" }), { config });
  try {
    return await app.run(["db", "backup", file]);
  } finally {
    await app.stop();
  }
}

test("db backup under constant writes makes a complete copy of everything acknowledged before, and the service can start from it", () =>
  withFolder(async (folder) => {
    const databaseUrl = `sqlite:${join(folder, "blog.db")}`;
    const copies = [0, 1, 2].map((index) => join(folder, `copy-${index}.db`));
    const acknowledged: string[] = [];
    const before: number[] = [];
    await withBlog({ databaseUrl, redisUrl: undefined }, async ({ client, users }) => {
      const { token } = await users.one();
      let running = true;
      const writer = async () => {
        while (running) {
          const { body } = await client.post<Post>("/posts", { title: "t", content: "c".repeat(500) }, { token });
          acknowledged.push(body.id);
        }
      };
      const writers = [writer(), writer(), writer()];
      await until(() => acknowledged.length >= 50, "posts");
      for (const copy of copies) {
        before.push(acknowledged.length);
        const result = await runBackup(databaseUrl, copy);
        assert.deepEqual([result.code, result.stderr], [0, ""], result.stderr);
        assert.match(result.stdout, /copy-\d\.db: \d+\.\d MB\n$/);
      }
      running = false;
      await Promise.all(writers);
    });
    for (const [index, copy] of copies.entries()) {
      assert.equal((statSync(copy).mode & 0o777).toString(8), "600");
      const database = new DatabaseSync(copy);
      assert.equal(database.prepare("pragma integrity_check").get()?.integrity_check, "ok");
      const kept = new Set(
        database
          .prepare("select id from posts")
          .all()
          .map(({ id }) => id),
      );
      database.close();
      const missing = acknowledged.slice(0, before[index]).filter((id) => !kept.has(id));
      assert.deepEqual(missing, []);
    }
    const [restored = ""] = copies;
    await withBlog({ databaseUrl: `sqlite:${restored}`, redisUrl: undefined }, async ({ client, users }) => {
      assert.equal((await client.get(`/posts/${acknowledged[0]}`)).status, 200);
      const { token } = await users.add();
      assert.equal((await client.post("/posts", { title: "t", content: "c" }, { token })).status, 201);
    });
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes(".part")),
      [],
    );
  }));

test("db backup into a missing folder, or a path that is not a folder, names the path", () =>
  withFolder(async (folder) => {
    const databaseUrl = `sqlite:${join(folder, "blog.db")}`;
    const absent = join(folder, "absent");
    assert.deepEqual(await runBackup(databaseUrl, join(absent, "copy.db")), {
      code: 1,
      stdout: "",
      stderr: `blog: the folder ${absent} does not exist: create it, or give another path\n`,
    });
    writeFileSync(join(folder, "file"), "");
    const { code, stderr } = await runBackup(databaseUrl, join(folder, "file", "copy.db"));
    assert.equal(code, 1);
    assert.match(stderr, /^blog: cannot write the backup: ENOTDIR: not a directory, open '.*\/file\/copy\.db'\n$/);
  }));

test("db backup never overwrites a file, and says so", () =>
  withFolder(async (folder) => {
    const databaseUrl = `sqlite:${join(folder, "blog.db")}`;
    const copy = join(folder, "copy.db");
    writeFileSync(copy, "mine");
    const message = `blog: ${copy} already exists: give another name, or move it away\n`;
    assert.deepEqual(await runBackup(databaseUrl, copy), { code: 1, stdout: "", stderr: message });
    assert.equal((await runBackup(databaseUrl, join(folder, "blog.db"))).code, 1, "nor over the database itself");
    assert.equal(statSync(copy).size, 4);
  }));

test("db backup fails for a database in memory", async () => {
  assert.deepEqual(await runBackup("sqlite::memory:", "x.db"), {
    code: 1,
    stdout: "",
    stderr: "blog: the database is in memory: there is no file to copy\n",
  });
});

const onServers = storages.find(({ name }) => name === "PostgreSQL and Redis");
if (onServers !== undefined) {
  test("db backup on PostgreSQL names the tool to use", () =>
    onServers.with(async ({ databaseUrl }) => {
      assert.deepEqual(await runBackup(databaseUrl, "x.db"), {
        code: 1,
        stdout: "",
        stderr: "blog: the database is PostgreSQL: use pg_dump, which copies it while others write\n",
      });
    }));
}
