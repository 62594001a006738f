import assert from "node:assert/strict";
import { test } from "node:test";
import { Database } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";
import type { Post } from "../../src/posts/post.ts";
import { describeOnStorages, withFreshBlog } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";

describeOnStorages("Errors and routes", (blog, storage) => {
  test("No route matches: 404 `Not Found`, also by method, case and slash", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/nowhere"],
      ["GET", "/Posts"],
      ["GET", "/posts/"],
      ["GET", "//posts"],
      ["DELETE", "/posts"],
      ["GET", "/auth/login"],
      ["PUT", "/auth/me"],
      ["GET", "/auth/logout"],
    ] as const) {
      assertError(await client.call(method, path, { token }), 404, "Not Found");
    }
  });

  test("Versioning: no version prefix applies to the reference authentication and blog routes", async () => {
    for (const path of ["/api/posts", "/v1/posts", "/api/v1/posts"]) {
      assertError(await blog().client.get(path), 404, "Not Found");
    }
  });

  test("Resource-controller convention: Index, Show, Create, Update, Delete", () => {
    const posts = blog()
      .app.routes.list()
      .filter(({ path }) => path.startsWith("/posts"));
    assert.deepEqual(
      posts.map(({ method, path, handler }) => `${handler}: ${method} ${path}`),
      [
        "index: GET /posts",
        "show: GET /posts/:id",
        "create: POST /posts",
        "update: PUT /posts/:id",
        "patch: PATCH /posts/:id",
        "delete: DELETE /posts/:id",
      ],
    );
  });

  test("Every route of the service is one that these tests know", () => {
    const routes = blog().app.routes.list();
    assert.deepEqual(
      routes.map(({ method, path, middlewares }) => `${method} ${path} ${middlewares.join(" ")}`.trim()).sort(),
      [
        "DELETE /auth/api-keys/:id bodyLimit BearerAuth ApiKeyOwner",
        "DELETE /posts/:id asSpecified BearerAuth",
        "GET /auth/api-keys bodyLimit BearerAuth",
        "GET /auth/key ApiKeyAuth",
        "GET /auth/me bodyLimit noStore BearerAuth",
        "GET /auth/session bodyLimit noStore SessionAuth",
        "GET /health/live",
        "GET /health/ready",
        "GET /live/posts",
        "GET /my-posts BearerAuth RefuseWhenBusy",
        "GET /posts RefuseWhenBusy",
        "GET /posts/:id RefuseWhenBusy",
        "PATCH /posts/:id BearerAuth",
        "POST /auth/api-keys bodyLimit BearerAuth",
        "POST /auth/login bodyLimit noStore",
        "POST /auth/logout bodyLimit noStore LogoutOrigin",
        "POST /auth/refresh bodyLimit noStore",
        "POST /auth/register bodyLimit noStore",
        "POST /auth/session bodyLimit noStore SessionOrigin",
        "POST /auth/token bodyLimit noStore",
        "POST /posts asSpecified BearerAuth",
        "PUT /posts/:id asSpecified BearerAuth",
      ],
    );
  });

  test("Store failure on post create, update or delete: 500, the store's message and nothing of the driver's", async () => {
    await withFreshBlog(storage, async ({ app, client, log, users }) => {
      const { token } = await users.one();
      const { body: post } = await client.post<Post>("/posts", { title: "t", content: "c" }, { token });
      await app
        .get(Database<Schema>)
        .schema.alterTable("posts")
        .renameTo("elsewhere")
        .execute();
      const headers = { "x-request-id": "the-request" };
      for (const [method, path] of [
        ["POST", "/posts"],
        ["PUT", `/posts/${post.id}`],
        ["DELETE", `/posts/${post.id}`],
      ] as const) {
        const reply = await client.call(method, path, { token, json: { title: "t", content: "c" }, headers });
        assertError(reply, 500, "store failure");
        const [line] = log.all.splice(0).filter(({ level }) => level === "error");
        assert.equal(line?.id, "the-request");
        assert.equal(line?.msg, `${method} ${path} failed`);
        assert.match(JSON.stringify(line?.err), /posts/); // the driver's message
      }
      assertError(await client.get("/posts"), 500, "store failure");
    });
  });

  test("Store failure in a guard: no session, key or refresh token counts as valid", async () => {
    await withFreshBlog(storage, async ({ app, client, users }) => {
      const user = await users.one();
      const headers = await users.session(user);
      const refresh_token = await users.refreshToken(user);
      await app
        .get(Database<Schema>)
        .schema.alterTable("users")
        .renameTo("elsewhere")
        .execute();
      assertError(await client.get("/auth/session", { headers }), 500, "store failure");
      assertError(await client.get("/auth/me", { token: user.token }), 500, "store failure");
      assertError(await client.post("/auth/refresh", { refresh_token }), 500, "store failure");
      const { email, password } = user;
      assertError(await client.post("/auth/login", { email, password }), 500, "store failure");
    });
  });

  test("HEAD responds like GET, without a body", async () => {
    const { client } = blog();
    const reply = await client.call("HEAD", "/posts");
    assert.deepEqual([reply.status, reply.text], [200, ""]);
    assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal((await client.call("HEAD", "/my-posts")).status, 401);
    assert.equal((await client.call("HEAD", "/posts/none")).status, 404);
  });

  test("/health/live and /health/ready report that the process and its stores respond", async () => {
    const { client } = blog();
    assertReply(await client.get("/health/live"), 200, { status: "ok" });
    const checks = { database: "ok", keyValue: "ok" };
    assertReply(await client.get("/health/ready"), 200, { status: "ok", checks });
  });

  test("Every response, errors included, has a request id and the security headers", async () => {
    const { client } = blog();
    for (const path of ["/posts", "/nowhere", "/auth/me"]) {
      const { headers } = await client.get(path);
      assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
    }
  });
});
