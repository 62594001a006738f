import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { ApiKeyRecord } from "@tenon/auth";
import { Database } from "@tenon/data";
import type { LoginResponse } from "../../src/auth/auth.service.ts";
import { Config } from "../../src/config.ts";
import type { Schema } from "../../src/database/schema.ts";
import type { Post } from "../../src/posts/post.ts";
import { type Blog, describeOnStorages, withBlog, withFreshBlog } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";
import { storages } from "../support/storages.ts";
import { mint } from "../support/tokens.ts";
import { uniqueEmail } from "../support/users.ts";

type NewKey = ApiKeyRecord & { readonly key: string };

async function createKey({ client }: Blog, token: string, json: object = {}): Promise<NewKey> {
  const { status, body } = await client.post<NewKey>("/auth/api-keys", json, { token });
  assert.equal(status, 201);
  return body;
}

describeOnStorages("Advisories about users and ownership", (blog, storage) => {
  test("body fields that are not part of the DTO are ignored (B13)", async () => {
    const { app, client, users } = blog();
    const eve = await users.one();
    const email = uniqueEmail();
    const extra = {
      id: eve.user.id,
      role: "admin",
      password_hash: "$2b$10$x",
      created_at: "2000-01-01T00:00:00.000Z",
      email_key: eve.email,
      __proto__: { role: "admin" },
    };
    const registration = { ...extra, email, password: "correct horse", name: "Ada" };
    const { status, body } = await client.post<LoginResponse>("/auth/register", registration);
    assert.equal(status, 201);
    const { id, created_at } = body.user;
    assert.notEqual(id, eve.user.id);
    assert.notEqual(created_at, extra.created_at);
    const query = app
      .get(Database<Schema>)
      .selectFrom("users")
      .selectAll()
      .where("id", "=", id);
    const row = await query.executeTakeFirstOrThrow();
    assert.deepEqual([row.role, row.email_key], ["user", email]);
    assert.match(row.password, /^\$2b\$04\$.{53}$/);

    const post = {
      title: "t",
      content: "c",
      author_id: eve.user.id,
      id,
      published: true,
      created_at: extra.created_at,
    };
    const { body: made } = await client.post<Post>("/posts", post, { token: body.token });
    assert.deepEqual([made.author_id, made.published, made.id === id], [id, false, false]);
    assert.notEqual(made.created_at, extra.created_at);
    const put = { token: body.token, json: { ...post, published: false } };
    const { body: replaced } = await client.call<Post>("PUT", `/posts/${made.id}`, put);
    assert.deepEqual([replaced.author_id, replaced.id, replaced.created_at], [id, made.id, made.created_at]);
  });

  test("the sessions, refresh tokens, API keys and access tokens of a deleted user are invalid (A14, better-auth 1.6.13)", async () => {
    const { client, users } = blog();
    const gone = await users.add();
    const headers = await users.session(gone);
    const refresh_token = await users.refreshToken(gone);
    const { key } = await createKey(blog(), gone.token);
    assert.equal((await client.get("/auth/me", { token: gone.token })).status, 200);
    await users.remove(gone);
    assertError(await client.get("/auth/me", { token: gone.token }), 401, "Invalid token");
    assertError(await client.get("/auth/session", { headers }), 401, "Invalid session");
    assertError(await client.post("/auth/refresh", { refresh_token }), 401, "invalid refresh token");
    assertError(await client.get("/auth/key", { headers: { "x-api-key": key } }), 401, "Invalid API key");
    assertError(await client.post("/auth/api-keys", {}, { token: gone.token }), 401, "Invalid token");
    const { email, password } = gone;
    assertError(await client.post("/auth/login", { email, password }), 401, "Invalid credentials");
  });

  test("API keys are created, listed and revoked by their owner only (A16, CVE-2025-61928)", async () => {
    const { client, users } = blog();
    const [ada, eve] = [await users.add(), await users.add()];
    for (const json of [{ user_id: ada.user.id }, { userId: ada.user.id }]) {
      assertError(await client.post("/auth/api-keys", json, { token: eve.token }), 400, "Invalid request");
    }
    const { key, id, ...record } = await createKey(blog(), eve.token, {});
    assert.equal(record.user_id, eve.user.id);
    assertReply(await client.get("/auth/api-keys", { token: ada.token }), 200, []);
    const other = await client.get(`/auth/api-keys?user_id=${eve.user.id}`, { token: ada.token });
    assertReply(other, 200, []);
    assertError(await client.call("DELETE", `/auth/api-keys/${id}`, { token: ada.token }), 404, "API key not found");
    const shown = await client.get<ApiKeyRecord>("/auth/key", { headers: { "x-api-key": key } });
    assert.deepEqual([shown.status, shown.body.user_id], [200, eve.user.id]);
    for (const [method, path] of [
      ["POST", "/auth/api-keys"],
      ["GET", "/auth/api-keys"],
      ["DELETE", `/auth/api-keys/${id}`],
    ] as const) {
      const reply = await client.call(method, path, { json: method === "GET" ? undefined : { user_id: ada.user.id } });
      assertError(reply, 401, "Missing authorization header");
    }
  });

  test("a token signed with the empty key is refused when JWT_SECRET is not set (J3, GHSA-gmvf-9v4p-v8jc, GHSA-8wpc-h4q6-8fxv)", async () => {
    const { urls, users } = blog();
    const { user } = await users.one();
    const env = {
      DATABASE_URL: urls.databaseUrl,
      ...(urls.redisUrl === undefined ? {} : { REDIS_URL: urls.redisUrl }),
    };
    if (storage.name !== "SQLite") {
      for (const JWT_SECRET of [undefined, "", "\0".repeat(32)]) {
        assert.throws(() => Config.read({ env: { ...env, JWT_SECRET } }), /JWT_SECRET is empty/);
      }
      return;
    }
    const { signingSecret: jwtSecret } = Config.read({ env });
    assert.ok(Buffer.byteLength(jwtSecret) >= 32);
    await withBlog(
      urls,
      async ({ client, clock }) => {
        const payload = { user_id: user.id, email: user.email, exp: Math.floor(clock.now() / 1000) + 60 };
        for (const key of ["", "\0", "\0".repeat(32), "undefined", "null"]) {
          const token = mint(payload, { alg: "HS256" }, key);
          assertError(await client.get("/auth/me", { token }), 401, "Invalid token");
        }
        assert.equal((await client.get("/auth/me", { token: mint(payload, { alg: "HS256" }, jwtSecret) })).status, 200);
      },
      { config: { jwtSecret } },
    );
  });

  test("a store failure is reported with our own message, without statement, path or host (K22, h3 ea2f2a32, 936f14ba)", () =>
    withFreshBlog(storage, async ({ app, client, users }) => {
      const { token } = await users.one();
      const { schema } = app.get(Database<Schema>);
      await schema.alterTable("posts").renameTo("elsewhere").execute();
      for (const [method, path] of [
        ["GET", "/posts"],
        ["GET", "/posts/1"],
        ["POST", "/posts"],
        ["PUT", "/posts/1"],
        ["DELETE", "/posts/1"],
        ["GET", "/my-posts"],
      ] as const) {
        const json = method === "GET" || method === "DELETE" ? undefined : { title: "t", content: "c" };
        const reply = await client.call(method, path, { token, json });
        assertError(reply, 500, "store failure");
        assert.doesNotMatch(JSON.stringify([...reply.headers]), /select|posts"|sqlite|postgres|5432|\.db/i);
      }
    }));
});

test("the store keeps only digests of session ids, refresh tokens and API keys (A17, h3 fc2d5b5e, 4e091a6b)", () => {
  const [sqlite] = storages;
  assert.equal(sqlite?.name, "SQLite");
  return sqlite?.with(async (urls) => {
    const held = await withBlog(urls, async (blog) => {
      const user = await blog.users.add();
      const { cookie } = await blog.users.session(user);
      const refreshToken = await blog.users.refreshToken(user);
      const { key } = await createKey(blog, user.token);
      const file = urls.databaseUrl.replace("sqlite:", "");
      const bytes = [file, `${file}-wal`].map((path) => readFileSync(path, "latin1")).join("");
      return { bytes, secrets: [cookie.replace("session_id=", ""), refreshToken, key], token: user.token };
    });
    for (const secret of held.secrets) {
      assert.ok(secret.length >= 36);
      assert.ok(held.bytes.includes(createHash("sha256").update(secret).digest("hex")), "its digest is there");
      assert.ok(!held.bytes.includes(secret) && !held.bytes.includes(secret.slice(4, 30)));
    }
    assert.ok(!held.bytes.includes(held.token.split(".")[2] ?? ""));
  });
});
