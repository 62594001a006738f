import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { Channels } from "@tenon/live";
import { until } from "../../../packages/core/test/support/until.ts";
import { EventReader } from "../../../packages/live/test/support/event-reader.ts";
import { createAppModule } from "../src/app.module.ts";
import type { Post } from "../src/posts/post.ts";
import { type Blog, toConfig, withFreshBlog } from "./support/blog.ts";
import { storages } from "./support/storages.ts";

async function createPost({ client, users }: Blog, title: string) {
  const { token } = await users.one();
  const { body } = await client.post<Post>("/posts", { title, content: "secret draft" }, { token });
  const send = (method: string, json?: unknown) =>
    client.call(method, `/posts/${body.id}`, { token, ...(json === undefined ? {} : { json }) });
  return { post: body, send };
}

for (const storage of storages) {
  test(`GET /live/posts streams what readers of the public list see (${storage.name})`, async () => {
    await withFreshBlog(storage, async (blog) => {
      const reader = await EventReader.open(`${blog.client.url}/live/posts`);
      await reader.until(({ id }) => id !== "");
      const { post, send } = await createPost(blog, "First");
      await send("PATCH", { title: "Still a draft" });
      await send("PATCH", { published: true });
      await send("PATCH", { title: "Second" });
      await send("PUT", { title: "Back", content: "to draft" });
      await send("PATCH", { published: true });
      await send("DELETE");
      await send("DELETE");
      const events = await reader.take(5);
      assert.deepEqual(
        events.map(({ event }) => event),
        ["published", "changed", "removed", "published", "removed"],
      );
      const { id, author_id, created_at } = post;
      const changed = Object(events[1]?.data);
      assert.deepEqual(Object.keys(changed), ["id", "title", "author_id", "created_at", "updated_at"]);
      assert.deepEqual([changed.id, changed.title, changed.author_id], [id, "Second", author_id]);
      assert.ok(changed.updated_at > created_at);
      assert.deepEqual(events[4]?.data, { id });
      const again = await EventReader.open(`${blog.client.url}/live/posts`, { "last-event-id": events[2]?.id ?? "" });
      assert.deepEqual(
        (await again.take(2)).map(({ event }) => event),
        ["published", "removed"],
      );
      await reader.cancel();
      await again.cancel();
    });
  });

  test(`posts watch prints them in another process (${storage.name})`, async () => {
    await withFreshBlog(storage, async (blog) => {
      const { port } = new URL(blog.client.url);
      const commands = await createApp(createAppModule(), cli({ name: "blog" }), {
        config: toConfig(blog.urls, { port: Number(port) }),
        log: { level: "silent" },
        onStartError: "throw",
      });
      const isShared = commands.get(Channels).reach === "instances";
      const stdout = new PassThrough().setEncoding("utf8");
      const controller = new AbortController();
      const done = commands.execute(["posts", "watch"], {
        stdin: Readable.from([]),
        stdout,
        stderr: stdout,
        signal: controller.signal,
      });
      const [first] = await once(stdout, "data");
      assert.equal(first, `watching ${isShared ? "this database" : blog.client.url}; end with Ctrl+C\n`);
      const channels = (isShared ? commands : blog.app).get(Channels);
      await until(() => channels.count("posts") > 0, "subscription");
      const { post, send } = await createPost(blog, "Watched");
      const next = once(stdout, "data");
      await send("PATCH", { published: true });
      assert.deepEqual(await next, [`published  ${post.id}  Watched\n`]);
      controller.abort();
      await done;
      await commands.stop();
    });
  });
}
