import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cli } from "@tenon/core/cli";
import { createTestApp, type TestCliApp } from "@tenon/core/testing";
import { createAppModule } from "../src/app.module.ts";
import { sampleAuthors, samplePosts } from "../src/database/sample-posts.ts";
import { toConfig } from "./support/blog.ts";
import { runEntryPoint } from "./support/command.ts";
import { storages } from "./support/storages.ts";

for (const storage of storages) {
  describe(`commands (${storage.name})`, () => {
    const run = (name: string, body: (app: TestCliApp) => Promise<void>) =>
      test(name, () =>
        storage.with(async (urls) => {
          const app = await createTestApp(createAppModule(toConfig(urls)), cli({ name: "blog" }));
          try {
            await body(app);
          } finally {
            await app.stop();
          }
        }),
      );
    const json = async (app: TestCliApp, ...argv: string[]) => JSON.parse((await app.run([...argv, "--json"])).stdout);

    run("users: create, list and role; a password is made up when none is given", async (app) => {
      const ada = await json(app, "users", "create", "--email=Ada@example.com", "--name=Ada");
      assert.deepEqual(Object.keys(ada), ["id", "email", "name", "created_at", "password"]);
      const given = JSON.stringify({ email: "bob@example.com", name: "Bob", password: "correct horse" });
      const bob = await app.run(["users", "create", "--stdin", "--json"], { stdin: given });
      assert.deepEqual(Object.keys(JSON.parse(bob.stdout)), ["id", "email", "name", "created_at"]);
      assert.deepEqual(await app.run(["users", "create", "--email=ada@EXAMPLE.com", "--name=A"]), {
        code: 1,
        stdout: "",
        stderr: "blog: Email already registered\n",
      });
      assert.equal((await json(app, "users", "role", "ada@example.com", "admin")).role, "admin");
      const roles = (await json(app, "users", "list")).map((user: { email: string; role: string }) => [
        user.email,
        user.role,
      ]);
      assert.deepEqual(Object.fromEntries(roles), { "Ada@example.com": "admin", "bob@example.com": "user" });
      assert.equal(
        (await app.run(["users", "role", "ada@example.com", "king"])).stderr,
        'blog: "king" is not a role. Roles: user, admin.\n',
      );
      assert.equal((await app.run(["users", "role", "eve@example.com", "user"])).stderr, "blog: User not found\n");
    });

    run("posts: list, show and publish, on what db seed wrote", async (app) => {
      const seeded = await app.run(["db", "seed", "--posts=1200"]);
      assert.deepEqual([seeded.code, seeded.stdout], [0, "1200 posts written\n"]);
      const [first, second, ...rest] = await json(app, "posts", "list", "-l", "2");
      const [newest, next] = samplePosts;
      assert.deepEqual([first.title, second.title, rest], [newest?.title, next?.title, []]);
      const shown = await json(app, "posts", "show", first.id);
      assert.deepEqual([shown.author, shown.content, shown.published], [newest?.author, newest?.content, true]);
      assert.equal((await json(app, "posts", "publish", first.id, "--undo")).published, false);
      assert.equal((await json(app, "posts", "list", "-l", "1"))[0].title, next?.title);
      assert.equal((await json(app, "posts", "publish", first.id)).published, true);
      for (const command of ["show", "publish"]) {
        assert.deepEqual(await app.run(["posts", command, "nobody"]), {
          code: 1,
          stdout: "",
          stderr: "blog: Post not found\n",
        });
      }
    });

    run(
      "db seed writes the published sample posts and begins again after the last one, for the same authors",
      async (app) => {
        const published = samplePosts.filter((post) => post.published !== false);
        const titles = published.map(({ title }) => title);
        assert.equal((await app.run(["db", "seed", `--posts=${titles.length + 2}`])).code, 0);
        const posts: { title: string; author: string }[] = await json(app, "posts", "list", "-l", "50");
        assert.deepEqual(
          posts.map(({ title }) => title),
          [...titles, `${titles[0]} (2)`, `${titles[1]} (2)`],
        );
        await app.run(["db", "seed", "--posts=3"]);
        const users: { name: string }[] = await json(app, "users", "list");
        assert.deepEqual(users.map(({ name }) => name).sort(), [...sampleAuthors].sort());
      },
    );

    run("db seed stops between two batches when it is interrupted", async (app) => {
      const interruption = new AbortController();
      setImmediate(() => interruption.abort());
      const { stdout } = await app.run(["db", "seed", "--posts=20000"], { signal: interruption.signal });
      assert.ok(Number.parseInt(stdout, 10) < 20_000, stdout);
    });

    run("keys: create shows the key once, revoke ends it, only the owner's", async (app) => {
      await app.run(["users", "create", "--email=ada@example.com", "--name=Ada"]);
      await app.run(["users", "create", "--email=bob@example.com", "--name=Bob"]);
      const { id, key, name } = await json(app, "keys", "create", "ada@example.com", "--name=ci");
      assert.match(key, /^tnn_/);
      assert.equal(name, "ci");
      assert.equal((await app.run(["keys", "revoke", "bob@example.com", id])).stderr, "blog: API key not found\n");
      assert.equal((await app.run(["keys", "revoke", "ada@example.com", id])).stdout, "revoked\n");
      assert.equal((await app.run(["keys", "create", "eve@example.com"])).stderr, "blog: User not found\n");
      const late = await app.run(["keys", "create", "ada@example.com", "--expires-at=2099-01-01T00:00:00"]);
      assert.match(late.stderr, /^blog: --expires-at must be a time with an offset, such as 2027-01-01T00:00:00Z/);
    });

    run("db migrate says what this start had to do", async (app) => {
      assert.equal((await app.run(["db", "migrate"])).stdout, "migrated: blog-001-users, blog-002-posts\n");
    });
  });
}

test("npm run cli: the second start has nothing to migrate, and a bad variable is named", async () => {
  const { folder, run, remove } = runEntryPoint();
  try {
    const env = { DATABASE_URL: `sqlite:${folder}/blog.db` };
    assert.deepEqual(run(["db", "migrate"], env), {
      code: 0,
      stdout: "migrated: blog-001-users, blog-002-posts\n",
      stderr: "",
    });
    assert.deepEqual(run(["db/migrate"], env), { code: 0, stdout: "nothing to migrate\n", stderr: "" });
    assert.deepEqual(run(["db", "migrate"], { ...env, BCRYPT_COST: "9" }), {
      code: 1,
      stdout: "",
      stderr: 'Cannot start: BCRYPT_COST is "9". It takes a whole number from 10 to 15.\n',
    });
    const JWT_SECRET = "for this test only, 32 bytes long";
    const postgres = run(["db", "migrate"], { DATABASE_URL: "postgres://blog@127.0.0.1:1/blog", JWT_SECRET });
    assert.match(postgres.stderr, /^Cannot start: .* Start it, or change DATABASE_URL\. .*\n$/);
    const redis = run(["db", "migrate"], { ...env, REDIS_URL: "redis://127.0.0.1:1", JWT_SECRET });
    assert.match(redis.stderr, /^Cannot start: .* Start it, or change REDIS_URL\. .*\n$/);
  } finally {
    remove();
  }
});
