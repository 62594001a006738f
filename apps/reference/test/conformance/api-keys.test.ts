import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { ApiKeyAuth, type ApiKeyRecord, ApiKeys } from "@tenon/auth";
import type { Context } from "@tenon/core";
import { Database } from "@tenon/data";
import { sql } from "kysely";
import type { Schema } from "../../src/database/schema.ts";
import { type Blog, describeOnStorages } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";

type NewKey = ApiKeyRecord & { readonly key: string };

async function createKey({ client }: Blog, token: string, json: object = {}): Promise<NewKey> {
  const { status, body } = await client.post<NewKey>("/auth/api-keys", json, { token });
  assert.equal(status, 201);
  return body;
}

function show({ client }: Blog, key: string) {
  return client.get<ApiKeyRecord>("/auth/key", { headers: { "x-api-key": key } });
}

describeOnStorages("API key authentication", (blog) => {
  test("POST /auth/api-keys: returns the key once, 256-bit, prefix `tnn_`", async () => {
    const { client, clock, users } = blog();
    const { token, user } = await users.one();
    const { key, ...record } = await createKey(blog(), token, { name: "deploy" });
    assert.match(key, /^tnn_[\w-]{43}$/);
    assert.deepEqual(record, {
      id: record.id,
      user_id: user.id,
      name: "deploy",
      created_at: clock.timestamp(),
      expires_at: null,
      last_used_at: null,
      scopes: null,
    });
    const list = await client.get("/auth/api-keys", { token });
    assert.ok(!list.text.includes(key));
  });

  test("POST /auth/api-keys: no body field is required, and given ones are checked", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    assert.equal((await client.call("POST", "/auth/api-keys", { token })).status, 201);
    assert.equal((await createKey(blog(), token)).name, "");
    for (const json of [{ name: 5 }, { name: "x".repeat(101) }, { expires_at: "soon" }, { expires_at: 5 }, []]) {
      assertError(await client.post("/auth/api-keys", json, { token }), 400, "Invalid request");
    }
    assertError(await client.call("POST", "/auth/api-keys", { token, body: "{" }), 400, "Invalid request");
  });

  test("POST /auth/api-keys: a key has the scopes that it is given, and they must be well-formed", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    const { key, scopes } = await createKey(blog(), token, { scopes: ["posts:read", "posts:write"] });
    assert.deepEqual(scopes, ["posts:read", "posts:write"]);
    assert.deepEqual((await show(blog(), key)).body.scopes, scopes);
    assert.deepEqual((await createKey(blog(), token, { scopes: [] })).scopes, []);
    for (const wrong of ["posts:write", ["a b"], [""], [5], Array.from({ length: 51 }, () => "a")]) {
      assertError(await client.post("/auth/api-keys", { scopes: wrong }, { token }), 400, "Invalid request");
    }
  });

  test("POST /auth/api-keys: a misspelt field is 400, not a key that may do everything", async () => {
    const { client, users } = blog();
    const { token } = await users.add();
    for (const name of ["scope", "Scopes", "scopes ", "expires", "user_id"]) {
      const json = { name: "deploy", [name]: ["posts:read"] };
      assertError(await client.post("/auth/api-keys", json, { token }), 400, "Invalid request");
    }
    assertReply(await client.get("/auth/api-keys", { token }), 200, []);
    assert.equal((await createKey(blog(), token)).scopes, null);
  });

  test("POST /auth/api-keys: an expiry needs an offset; without one it is 400", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    for (const expires_at of ["2099-01-01T00:00:00", "2099-01-01T00:00", "2099-01-01", "2098-02-30T00:00:00Z"]) {
      assertError(await client.post("/auth/api-keys", { expires_at }, { token }), 400, "Invalid request");
    }
    const { expires_at } = await createKey(blog(), token, { expires_at: "2099-01-01T00:00:00+14:00" });
    assert.equal(expires_at, "2098-12-31T10:00:00.000Z");
  });

  test("SHA-256 at rest: the store never contains the key", async () => {
    const { app, users } = blog();
    const { token } = await users.one();
    const { key } = await createKey(blog(), token);
    const { rows } = await sql`select * from api_keys`.execute(app.get(Database<Schema>));
    assert.ok(!JSON.stringify(rows).includes(key.slice("tnn_".length)));
  });

  test("Missing header: 401 `Missing API key`", async () => {
    assertError(await blog().client.get("/auth/key"), 401, "Missing API key");
    assertError(await show(blog(), ""), 401, "Missing API key");
  });

  test("Key rejected by validation: 401 `Invalid API key`", async () => {
    const { users } = blog();
    const { token } = await users.one();
    const { key } = await createKey(blog(), token);
    const swapped = key.endsWith("A") ? "B" : "A";
    for (const wrong of [
      "x",
      "tnn_",
      key.slice(4),
      `${key}x`,
      key.slice(0, -1),
      `${key.slice(0, -1)}${swapped}`,
      token,
    ]) {
      assertError(await show(blog(), wrong), 401, "Invalid API key");
    }
  });

  test("On success the context receives `api_key` (the key record) and `user_id` (the record's user id)", async () => {
    const { app, client, users } = blog();
    const { token, user } = await users.one();
    const { key, ...record } = await createKey(blog(), token);
    assertReply(await show(blog(), key), 200, record);
    const handler = (ctx: Context) => [ctx.get("api_key").id, ctx.get("user_id")];
    app.routes.add({ method: "GET", path: "/key-user", handler, middlewares: [ApiKeyAuth] });
    assertReply(await client.get("/key-user", { headers: { "x-api-key": key } }), 200, [record.id, user.id]);
  });

  test("GET /auth/api-keys lists, only the owner's (A16), with the last-used time", async () => {
    const { client, clock, users } = blog();
    const [ada, eve] = [await users.add(), await users.add()];
    const { key, ...first } = await createKey(blog(), ada.token, { name: "first" });
    assert.equal(first.user_id, ada.user.id);
    clock.advance("1s");
    const { key: _, ...second } = await createKey(blog(), ada.token, { name: "second" });
    assertReply(await client.get("/auth/api-keys", { token: ada.token }), 200, [second, first]);
    assertReply(await client.get("/auth/api-keys", { token: eve.token }), 200, []);
    await show(blog(), key);
    const used = { ...first, last_used_at: clock.timestamp() };
    assertReply(await client.get("/auth/api-keys", { token: ada.token }), 200, [second, used]);
  });

  test("DELETE /auth/api-keys/:id revokes, only the owner's (A16)", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    const { token: eve } = await users.add();
    const { key, id } = await createKey(blog(), token);
    assertError(await client.call("DELETE", `/auth/api-keys/${id}`, { token: eve }), 404, "API key not found");
    assert.equal((await show(blog(), key)).status, 200);
    const revoked = await client.call("DELETE", `/auth/api-keys/${id}`, { token });
    assert.deepEqual([revoked.status, revoked.text], [204, ""]);
    assertError(await show(blog(), key), 401, "Invalid API key");
    for (const gone of [id, randomUUID(), "x"]) {
      assertError(await client.call("DELETE", `/auth/api-keys/${gone}`, { token }), 404, "API key not found");
    }
    assertError(await client.call("DELETE", "/auth/api-keys/%00", { token }), 400, "Bad Request");
  });

  test("optional expiry: valid one second before, invalid from its second on", async () => {
    const { clock, users } = blog();
    const { token } = await users.one();
    const expires_at = new Date(clock.now() + 3600_000).toISOString();
    const { key, ...record } = await createKey(blog(), token, { expires_at });
    assert.equal(record.expires_at, expires_at);
    clock.advance("3599s");
    assert.equal((await show(blog(), key)).status, 200);
    clock.advance("1s");
    assertError(await show(blog(), key), 401, "Invalid API key");
  });

  test("A key whose user is deleted is 401 `Invalid API key` (A14)", async () => {
    const { users } = blog();
    const gone = await users.add();
    const { key } = await createKey(blog(), gone.token);
    await users.remove(gone);
    assertError(await show(blog(), key), 401, "Invalid API key");
  });

  test("A key that is refused because its user is deleted does not count as used", async () => {
    const { app, log, users } = blog();
    const gone = await users.add();
    const { key, id } = await createKey(blog(), gone.token);
    await users.remove(gone);
    await show(blog(), key);
    const [record] = await app.get(ApiKeys).list(gone.user.id);
    assert.equal(record?.last_used_at, null);
    assert.ok(!log.all.some(({ event, key_id }) => event === "api key used" && key_id === id));
  });
});
