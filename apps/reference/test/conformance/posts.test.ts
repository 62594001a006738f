import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Database } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";
import type { Post } from "../../src/posts/post.ts";
import { type Blog, describeOnStorages, withFreshBlog } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const oddIds = [randomUUID(), "0", "x".repeat(300), "%2500", "%27%20or%201=1", "%F0%9F%94%91", "a%2Fb"];

async function createPost({ client }: Blog, token: string): Promise<Post> {
  const { status, body } = await client.post<Post>("/posts", { title: "A title", content: "Some content" }, { token });
  assert.equal(status, 201);
  return body;
}

describeOnStorages("Blog endpoints", (blog, storage) => {
  const send = <T = Post>(method: string, path: string, token: string, json?: unknown) =>
    blog().client.call<T>(method, path, { token, ...(json === undefined ? {} : { json }) });

  test("POST /posts: bearer, `CreatePostDTO` → 201, Post with published=false, author_id set from the token's user_id", async () => {
    const { clock, users } = blog();
    const { token, user } = await users.one();
    const reply = await send("POST", "/posts", token, { title: "A title", content: "Some content" });
    assert.match(reply.body.id, uuid);
    assertReply(reply, 201, {
      id: reply.body.id,
      title: "A title",
      content: "Some content",
      author_id: user.id,
      published: false,
      created_at: clock.timestamp(),
      updated_at: clock.timestamp(),
    });
  });

  test("POST /posts: extra body fields are ignored: `id`, `author_id`, `published` never take effect (B13)", async () => {
    const { users } = blog();
    const { token, user } = await users.one();
    const extra = { id: "mine", author_id: randomUUID(), published: true, created_at: "2001-01-01T00:00:00.000Z" };
    const { body } = await send("POST", "/posts", token, { title: "t", content: "c", ...extra });
    assert.match(body.id, uuid);
    assert.deepEqual([body.author_id, body.published], [user.id, false]);
    assert.notEqual(body.created_at, extra.created_at);
  });

  test("POST /posts: 400 `Invalid request`", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    const bodies = [
      {},
      { title: "t" },
      { content: "c" },
      { title: "", content: "c" },
      { title: "t", content: null },
      [],
    ];
    for (const json of bodies) assertError(await send("POST", "/posts", token, json), 400, "Invalid request");
    assertError(await client.call("POST", "/posts", { token, body: "{" }), 400, "Invalid request");
  });

  test("POST /posts: 500 with the store's error message", async () => {
    await withFreshBlog(storage, async ({ app, client, users }) => {
      const { token } = await users.add();
      const { schema } = app.get(Database<Schema>);
      await schema.alterTable("posts").renameTo("elsewhere").execute();
      const reply = await client.post("/posts", { title: "t", content: "c" }, { token });
      assertError(reply, 500, "store failure");
    });
  });

  test("A token of a deleted user: 401 `Invalid token`, and nothing is written", async () => {
    const { client, users } = blog();
    const [gone, ada] = [await users.add(), await users.add()];
    const post = await createPost(blog(), ada.token);
    await users.remove(gone);
    const json = { title: "taken", content: "over", published: true };
    for (const [method, path] of [
      ["POST", "/posts"],
      ["PUT", `/posts/${post.id}`],
      ["PATCH", `/posts/${post.id}`],
      ["DELETE", `/posts/${post.id}`],
      ["GET", "/my-posts"],
      ["POST", "/auth/api-keys"],
      ["GET", "/auth/api-keys"],
    ] as const) {
      const body = method === "GET" || path === "/auth/api-keys" ? {} : { json };
      assertError(await client.call(method, path, { token: gone.token, ...body }), 401, "Invalid token");
    }
    assertReply(await client.get(`/posts/${post.id}`), 200, { ...post, author: ada.user });
  });

  test("GET /posts/:id: none → Post with `author` loaded (published or not)", async () => {
    const { client, users } = blog();
    const { token, user } = await users.one();
    const post = await createPost(blog(), token);
    assertReply(await client.get(`/posts/${post.id}`), 200, { ...post, author: user });
    const { body } = await send("PUT", `/posts/${post.id}`, token, { title: "t", content: "c", published: true });
    assertReply(await client.get(`/posts/${post.id}`), 200, { ...body, author: user });
  });

  test("GET /posts/:id: 404 `Post not found`, whatever the id looks like", async () => {
    for (const id of oddIds) assertError(await blog().client.get(`/posts/${id}`), 404, "Post not found");
  });

  test("U+0000 in an id or a query: 400 `Bad Request` before routing, on every route", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const json = method === "GET" ? {} : { json: { title: "t" } };
      for (const path of ["/posts/%00", "/posts/a%00b", "/posts/x?y=%00"]) {
        assertError(await client.call(method, path, { token, ...json }), 400, "Bad Request");
      }
    }
    for (const path of ["/posts?limit=%00", "/my-posts?%00=1", "/auth/me?a=%00", "/nothing/%00"]) {
      assertError(await client.get(path, { token }), 400, "Bad Request");
    }
  });

  test("GET /posts: none → array of Post with `author` loaded; only posts with published=true", async () => {
    const { client, users } = blog();
    const { token, user } = await users.add();
    const hidden = await createPost(blog(), token);
    const shown = await createPost(blog(), token);
    const change = { title: shown.title, content: shown.content, published: true };
    const { body: published } = await send("PUT", `/posts/${shown.id}`, token, change);
    const { status, body } = await client.get<Post[]>("/posts");
    assert.equal(status, 200);
    assert.ok(body.every((post) => post.published));
    assert.ok(!body.some(({ id }) => id === hidden.id));
    assert.deepEqual(
      body.filter(({ author_id }) => author_id === user.id),
      [{ ...published, author: user }],
    );
  });

  test("GET /my-posts: bearer → array of Post whose author_id equals the token's user_id, published or not", async () => {
    const { client, clock, users } = blog();
    const { token } = await users.add();
    assertReply(await client.get("/my-posts", { token }), 200, []);
    const first = await createPost(blog(), token);
    clock.advance("1s");
    const second = await createPost(blog(), token);
    await createPost(blog(), (await users.one()).token);
    const { body: published } = await send("PATCH", `/posts/${first.id}`, token, { published: true });
    assertReply(await client.get("/my-posts", { token }), 200, [second, published]);
  });

  test("PUT /posts/:id: bearer, `UpdatePostDTO` → 200, Post; title and content are replaced, published equals the body's", async () => {
    const { clock, users } = blog();
    const { token } = await users.one();
    const post = await createPost(blog(), token);
    clock.advance("1s");
    const change = { title: "New", content: "Newer", published: true };
    const reply = await send("PUT", `/posts/${post.id}`, token, change);
    assertReply(reply, 200, { ...post, ...change, updated_at: clock.timestamp() });
  });

  test("PUT /posts/:id: literal full replace; null counts as omitted", async () => {
    const { users } = blog();
    const { token } = await users.one();
    const { id } = await createPost(blog(), token);
    const whole = { title: "t", content: "c", published: true };
    const empty = { title: "", content: "", published: false };
    for (const [given, expected] of [
      [{}, empty],
      [{ title: "t" }, { ...empty, title: "t" }],
      [{ content: "c" }, { ...empty, content: "c" }],
      [{ published: true }, { ...empty, published: true }],
      [{ title: null, content: null, published: null }, empty],
      [{ title: "", content: "" }, empty],
    ] as const) {
      await send("PUT", `/posts/${id}`, token, whole);
      const { status, body } = await send("PUT", `/posts/${id}`, token, given);
      const { title, content, published } = body;
      assert.deepEqual([status, { title, content, published }], [200, expected]);
    }
  });

  test("PUT /posts/:id: 400 `Invalid request`, a wrong type included, and the post stays as it was", async () => {
    const { client, users } = blog();
    const { token, user } = await users.one();
    const post = await createPost(blog(), token);
    for (const json of [{ title: 5 }, { content: ["c"] }, { published: "true" }, { published: 1 }, [], "text"]) {
      assertError(await send("PUT", `/posts/${post.id}`, token, json), 400, "Invalid request");
      assertError(await send("PATCH", `/posts/${post.id}`, token, json), 400, "Invalid request");
    }
    const path = `/posts/${post.id}`;
    assertError(await client.call("PUT", path, { token, body: "" }), 400, "Invalid request");
    assertReply(await client.get(path), 200, { ...post, author: user });
  });

  test("PUT /posts/:id: 500 with the store's error message (also when the post does not exist)", async () => {
    const { token } = await blog().users.one();
    for (const id of oddIds) assertError(await send("PUT", `/posts/${id}`, token, {}), 500, "record not found");
  });

  test("PATCH /posts/:id changes only what is given, 404 when missing", async () => {
    const { users } = blog();
    const { token } = await users.one();
    let post = await createPost(blog(), token);
    for (const change of [{ published: true }, { title: "New" }, { content: "Newer" }, {}, { title: "" }]) {
      const { status, body } = await send("PATCH", `/posts/${post.id}`, token, change);
      assert.deepEqual([status, body], [200, { ...post, ...change, updated_at: body.updated_at }]);
      assert.ok(String(body.updated_at) > String(post.updated_at));
      post = body;
    }
    for (const field of ["title", "content", "published"]) {
      assertError(await send("PATCH", `/posts/${post.id}`, token, { [field]: null }), 400, "Invalid request");
    }
    for (const id of oddIds) {
      assertError(await send("PATCH", `/posts/${id}`, token, { title: "t" }), 404, "Post not found");
    }
  });

  test("updated_at moves strictly forward on every update, also within one millisecond and when the clock goes back", async () => {
    const { clock, users } = blog();
    const { token } = await users.one();
    const post = await createPost(blog(), token);
    const start = clock.now();
    for (let update = 1; update <= 20; update++) {
      const { body } = await send("PUT", `/posts/${post.id}`, token, { title: String(update) });
      assert.equal(body.updated_at, new Date(start + update).toISOString());
      assert.equal(body.created_at, post.created_at);
    }
    clock.set(clock.now() - 3_600_000);
    const { body } = await send("PATCH", `/posts/${post.id}`, token, {});
    assert.equal(body.updated_at, new Date(start + 21).toISOString());
    clock.advance("3600s");
  });

  test("DELETE /posts/:id: bearer → 204, empty body, removed", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    const { id } = await createPost(blog(), token);
    const reply = await send("DELETE", `/posts/${id}`, token);
    assert.deepEqual([reply.status, reply.text, reply.headers.get("content-type")], [204, "", null]);
    assertError(await client.get(`/posts/${id}`), 404, "Post not found");
  });

  test("DELETE of a missing post: 204", async () => {
    const { token } = await blog().users.one();
    for (const id of oddIds) {
      const { status, text } = await send("DELETE", `/posts/${id}`, token);
      assert.deepEqual([status, text], [204, ""]);
    }
  });

  test("No ownership check on PUT or DELETE: any authenticated user may update or delete any post", async () => {
    const { users } = blog();
    const author = await users.one();
    const { token } = await users.add();
    const { id } = await createPost(blog(), author.token);
    const put = await send("PUT", `/posts/${id}`, token, { title: "Mine now", content: "c" });
    assert.deepEqual([put.status, put.body.author_id], [200, author.user.id]);
    assert.equal((await send("PATCH", `/posts/${id}`, token, { published: true })).status, 200);
    assert.equal((await send("DELETE", `/posts/${id}`, token)).status, 204);
  });

  test("Post: `author` is omitted from JSON when not loaded, and carries no password when it is", async () => {
    const { client, users } = blog();
    const { token, user } = await users.one();
    const post = await createPost(blog(), token);
    const put = await send("PUT", `/posts/${post.id}`, token, {});
    const patch = await send("PATCH", `/posts/${post.id}`, token, {});
    const { body: mine } = await client.get<Post[]>("/my-posts", { token });
    for (const shown of [post, put.body, patch.body, ...mine]) assert.ok(!("author" in shown));
    const { body } = await client.get<Post>(`/posts/${post.id}`);
    assert.deepEqual(Object.keys(body.author ?? {}).sort(), ["created_at", "email", "id", "name"]);
    assert.equal(body.author?.id, user.id);
  });
});
