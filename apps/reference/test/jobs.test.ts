import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { cli } from "@tenon/core/cli";
import { createTestApp, FakeClock, type TestCliApp, useClock } from "@tenon/core/testing";
import { KeyValue } from "@tenon/data";
import { withJobs } from "@tenon/jobs/testing";
import { withFolder } from "../../../packages/data/test/support/services.ts";
import { createAppModule } from "../src/app.module.ts";
import { PublishPost, parsePublicationTime } from "../src/posts/publication.ts";
import { type ConfigValues, toConfig } from "./support/blog.ts";
import { storages } from "./support/storages.ts";

for (const storage of storages) {
  describe(`jobs (${storage.name})`, () => {
    const run = (
      name: string,
      body: (app: TestCliApp & ReturnType<typeof withJobs>, clock: FakeClock) => Promise<void>,
      values: ConfigValues = {},
    ) =>
      test(name, () =>
        storage.with(async (urls) => {
          const clock = new FakeClock();
          const options = { config: toConfig(urls, values), override: [useClock(clock)] };
          const app = withJobs(await createTestApp(createAppModule(), cli({ name: "blog" }), options));
          try {
            await body(app, clock);
          } finally {
            await app.stop();
          }
        }),
      );
    const json = async (app: TestCliApp, ...argv: string[]) => JSON.parse((await app.run([...argv, "--json"])).stdout);

    run("posts publish --at publishes a post at that time, once", async (app, clock) => {
      await app.run(["db", "seed", "--posts=2"]);
      const [{ id }] = await json(app, "posts", "list");
      await app.run(["posts", "publish", id, "--undo"]);
      const at = new Date(clock.now() + 3_600_000).toISOString();
      assert.equal((await json(app, "posts", "publish", id, `--at=${at}`)).publish_at, at);
      const later = new Date(clock.now() + 7_200_000).toISOString();
      await app.run(["posts", "publish", id, `--at=${later}`]);
      const [pending, ...others] = await app.jobs.pending(PublishPost);
      assert.deepEqual([pending?.input, pending?.runAt, others], [{ post_id: id }, later, []]);
      clock.advance("1h");
      await app.jobs.drain();
      assert.equal((await json(app, "posts", "show", id)).published, false);
      clock.advance("1h");
      await app.jobs.drain();
      assert.equal((await json(app, "posts", "show", id)).published, true);
    });

    run(
      "posts publish --undo forgets the time; a time in the past and an unknown post are refused",
      async (app, clock) => {
        await app.run(["db", "seed", "--posts=1"]);
        const [{ id }] = await json(app, "posts", "list");
        const at = `--at=${new Date(clock.now() + 3_600_000).toISOString()}`;
        await app.run(["posts", "publish", id, at]);
        await app.run(["posts", "publish", id, "--undo"]);
        assert.deepEqual(await app.jobs.pending(PublishPost), []);
        for (const bad of ["2020-01-01T00:00", "garbage"]) {
          const { code, stderr } = await app.run(["posts", "publish", id, `--at=${bad}`]);
          assert.equal(code, 2);
          assert.match(stderr, /--at must be a time in the future, such as 2027-01-31T09:00/);
        }
        assert.match((await app.run(["posts", "publish", "none", at])).stderr, /Post not found/);
      },
    );

    run("a schedule deletes what has expired, once an hour", async (app, clock) => {
      await app.jobs.drain(); // makes the schedule known
      await app.get(KeyValue).set("session:old", 1, { ttl: 0.001 });
      await app.get(KeyValue).set("session:new", 1, { ttl: 3600 });
      clock.advance("1h");
      const { done } = await app.jobs.drain();
      assert.deepEqual(
        done.map(({ name }) => name),
        ["maintenance/purge"],
      );
      assert.equal(await app.get(KeyValue).get("session:new"), 1);
    });
  });
}

test("BACKUP_SCHEDULE copies the SQLite file and keeps the newest seven copies", () =>
  withFolder(async (folder) => {
    const backups = `${folder}/backups`;
    const config = toConfig(
      { databaseUrl: `sqlite:${folder}/blog.db`, redisUrl: undefined },
      { backupSchedule: "0 2 * * *", backupFolder: backups },
    );
    const clock = new FakeClock("2026-01-01T00:00:00Z");
    const options = { config, override: [useClock(clock)] };
    const app = withJobs(await createTestApp(createAppModule(), cli({ name: "blog" }), options));
    try {
      await app.jobs.drain();
      clock.set("2026-01-01T02:00:00Z");
      const { done } = await app.jobs.drain();
      assert.ok(done.some(({ name }) => name === "maintenance/backup"));
      assert.equal(readdirSync(backups).length, 1);
    } finally {
      await app.stop();
    }
  }));

test("a publication time is in the future, in UTC unless it has a zone", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(parsePublicationTime("2026-01-01T09:00", now)?.toISOString(), "2026-01-01T09:00:00.000Z");
  assert.equal(parsePublicationTime("2026-01-01T09:00:00+02:00", now)?.toISOString(), "2026-01-01T07:00:00.000Z");
  for (const text of ["", "tomorrow", "2025-12-31T23:59", "2026-13-01T00:00", "2026-01-01"]) {
    assert.equal(parsePublicationTime(text, now), undefined, text);
  }
});
