import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Database } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";
import type { Post } from "../../src/posts/post.ts";
import { PostsService } from "../../src/posts/posts.service.ts";
import { type Blog, describeOnStorages } from "../support/blog.ts";
import { assertError, type Reply } from "../support/client.ts";

/** Seven posts, of which the middle three were created in one millisecond; the fifth is not published. */
async function writePosts({ app, clock }: Blog, author_id: string): Promise<string[]> {
  const posts = [0, 1, 2, 2, 2, 3, 4].map((second, index) => {
    const time = new Date(clock.now() + second * 1000).toISOString();
    const published = index !== 5;
    return { id: randomUUID(), title: "t", content: "c", author_id, published, created_at: time, updated_at: time };
  });
  await app
    .get(Database<Schema>)
    .insertInto("posts")
    .values(posts)
    .execute();
  return posts.map(({ id }) => id);
}

const linkForm = /^<([^>]+)>; rel="next"$/;

async function walk(first: string, get: (path: string) => Promise<Reply<Post[]>>): Promise<Post[][]> {
  const pages: Post[][] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const { status, headers, body }: Reply<Post[]> = await get(path);
    assert.equal(status, 200);
    pages.push(body);
    path = linkForm.exec(headers.get("link") ?? "")?.[1];
  }
  return pages;
}

describeOnStorages("Lists", (blog) => {
  test("Newest first, id as tie-break; whole array without parameters", async () => {
    const { client, users } = blog();
    const { token, user } = await users.one();
    const ids = await writePosts(blog(), user.id);
    const { body, headers } = await client.get<Post[]>("/my-posts", { token });
    assert.equal(headers.get("link"), null);
    const [zero, one, a = "", b = "", c = "", five, six] = ids;
    const expected = [six, five, ...[a, b, c].sort().reverse(), one, zero];
    assert.deepEqual(
      body.map(({ id }) => id),
      expected,
    );
    const again = await client.get<Post[]>("/my-posts", { token });
    assert.deepEqual(again.body, body);
    const { body: published } = await client.get<Post[]>("/posts");
    assert.deepEqual(
      published.map(({ id }) => id),
      body.filter((post) => post.published).map(({ id }) => id),
    );
  });

  test("optional `limit` and `cursor` (next page in a `Link` header): pages together are the whole list", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    for (const list of ["/posts", "/my-posts"]) {
      const whole = await client.get<Post[]>(list, { token });
      for (let limit = 1; limit <= whole.body.length + 1; limit++) {
        const pages = await walk(`${list}?limit=${limit}`, (path) => client.get<Post[]>(path, { token }));
        assert.deepEqual(pages.flat(), whole.body);
        assert.equal(pages.length, Math.ceil(whole.body.length / limit));
        assert.ok(pages.every((page) => page.length <= limit));
      }
    }
  });

  test("A page continues where the last one stopped, also when a post is added before it or the last post is deleted", async () => {
    const { app, client, clock, users } = blog();
    const { token, user } = await users.one();
    const whole = await client.get<Post[]>("/my-posts", { token });
    const first = await client.get<Post[]>("/my-posts?limit=3", { token });
    const next = linkForm.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const time = new Date(clock.now() + 60_000).toISOString();
    const newer = { id: randomUUID(), title: "t", content: "c", author_id: user.id, published: false };
    const db = app.get(Database<Schema>);
    await db
      .insertInto("posts")
      .values({ ...newer, created_at: time, updated_at: time })
      .execute();
    await db
      .deleteFrom("posts")
      .where("id", "in", [first.body[2]?.id ?? ""])
      .execute();
    const second = await client.get<Post[]>(next, { token });
    assert.deepEqual(second.body, whole.body.slice(3, 6));
  });

  test("A long list is read in parts, by size and by number, and arrives whole and in order", async () => {
    const { app, client, clock, users } = blog();
    const { token, user } = await users.add();
    const start = clock.now();
    const posts = Array.from({ length: 250 }, (_, index) => {
      const time = new Date(start + Math.floor(index / 3) * 1000).toISOString(); // three share a millisecond
      const content = "ü".repeat(index % 50 === 7 ? 100_000 : index % 10);
      const id = randomUUID();
      return { id, title: "t", content, author_id: user.id, published: true, created_at: time, updated_at: time };
    });
    const db = app.get(Database<Schema>);
    await db.insertInto("posts").values(posts.slice(0, 125)).execute();
    await db.insertInto("posts").values(posts.slice(125)).execute();
    const keyOf = ({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`;
    const expected = posts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
    const { body } = await client.get<Post[]>("/my-posts", { token });
    assert.deepEqual(body, expected);
    const { headers } = await client.get<Post[]>("/my-posts?limit=30", { token });
    const cursor = /cursor=([^>&]+)/.exec(headers.get("link") ?? "")?.[1] ?? "";
    const rest = await client.get<Post[]>(`/my-posts?cursor=${cursor}`, { token });
    assert.deepEqual(rest.body, expected.slice(30));
    const published = await client.get<Post[]>("/posts");
    const own = published.body.filter(({ author_id }) => author_id === user.id);
    assert.deepEqual(
      own.map(({ id, author }) => [id, author?.name]),
      expected.map(({ id }) => [id, user.name]),
    );
  });

  test("A list that is being read contains no posts that are created or deleted meanwhile", async () => {
    const { app, users } = blog();
    const { user } = await users.add();
    const service = app.get(PostsService);
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) {
      // each is a separate part
      ids.unshift((await service.create(user.id, { title: "t", content: "x".repeat(70_000) })).id);
      blog().clock.advance("1s");
    }
    const seen: string[] = [];
    for await (const { id } of service.listOfAuthor(user.id)) {
      seen.push(id);
      if (seen.length > 1) continue;
      await service.create(user.id, { title: "new", content: "c" });
      await service.delete(ids[2] ?? "");
    }
    assert.deepEqual(seen, [ids[0], ids[1], ids[3]]);
  });

  test("A page of large posts arrives whole, though it is larger than limits.pendingBytes", async () => {
    const { app, client, users, clock } = blog();
    const { token, user } = await users.add();
    const content = "x".repeat(1_000_000);
    const time = new Date(clock.now()).toISOString();
    const posts = Array.from({ length: 36 }, () => {
      const id = randomUUID();
      return { id, title: "t", content, author_id: user.id, published: false, created_at: time, updated_at: time };
    });
    for (const post of posts)
      await app
        .get(Database<Schema>)
        .insertInto("posts")
        .values(post)
        .execute();
    const { status, headers, body } = await client.get<Post[]>("/my-posts?limit=35", { token });
    assert.deepEqual([status, body.length], [200, 35]);
    assert.equal(
      body.every((post) => post.content === content),
      true,
    );
    const [, rest = ""] = linkForm.exec(headers.get("link") ?? "") ?? [];
    const { body: last } = await client.get<Post[]>(rest, { token });
    assert.deepEqual(new Set([...body, ...last].map(({ id }) => id)), new Set(posts.map(({ id }) => id)));
  });

  test("A page that is being read keeps its limit when a post in it is published meanwhile", async () => {
    const { app, users, clock } = blog();
    const { user } = await users.add();
    const service = app.get(PostsService);
    const ids: string[] = [];
    clock.advance("600s"); // after the posts of other tests
    for (let count = 0; count < 3; count++) {
      const { id } = await service.create(user.id, { title: "t", content: "x".repeat(70_000) });
      if (count !== 1) await service.patch(id, { published: true });
      ids.unshift(id);
      clock.advance("1s");
    }
    const list = service.listPublished({ limit: 2 });
    await list.nextCursor();
    await service.patch(ids[1] ?? "", { published: true });
    const seen: string[] = [];
    for await (const { id } of list) seen.push(id);
    assert.deepEqual(seen, [ids[0], ids[2]]);
  });

  test("400 `Invalid request` for an invalid limit or cursor", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    const cursor = (value: unknown) => `cursor=${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
    const now = new Date().toISOString();
    const place = ["posts", "created_at", "desc", "id", "after"];
    for (const query of [
      "limit=0",
      "limit=-1",
      "limit=1.5",
      "limit=x",
      "limit=1001",
      "limit=1e2",
      "cursor=x",
      cursor([]),
      cursor([now, "x"]),
      cursor([...place, now]),
      cursor([...place, now, 5]),
      cursor([...place, 5, "x"]),
      cursor([...place, now, "\0"]),
      cursor([...place, "\0", "x"]),
      cursor(["users", ...place.slice(1), now, "x"]),
      cursor({ created_at: now, id: "x" }),
    ]) {
      for (const list of ["/posts", "/my-posts"]) {
        assertError(await client.get(`${list}?${query}`, { token }), 400, "Invalid request");
      }
    }
    assertError(await client.get("/posts?cursor=%00"), 400, "Bad Request");
    for (const query of ["limit=", "cursor=", "limit=1000", "other=1", cursor([...place, now, "x"])]) {
      assert.equal((await client.get(`/posts?${query}`)).status, 200);
    }
  });
});
