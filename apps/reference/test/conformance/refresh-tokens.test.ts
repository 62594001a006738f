import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { TokenPair } from "../../src/auth/auth.service.ts";
import { type Blog, describeOnStorages, withBlog } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function refresh({ client }: Blog, refresh_token: string) {
  return client.post<TokenPair>("/auth/refresh", { refresh_token });
}

async function startFamily({ users }: Blog): Promise<string> {
  return users.refreshToken(await users.one());
}

describeOnStorages("Refresh tokens", (blog) => {
  test("POST /auth/token (same body as login) returns a refresh token together with the access token", async () => {
    const { client, users } = blog();
    const { email, password, user } = await users.one();
    const { status, body } = await client.post<TokenPair>("/auth/token", { email, password });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ["access_token", "expires_in", "refresh_token"]);
    assert.match(body.refresh_token, uuid);
    assert.equal(body.expires_in, 86_400);
    assertReply(await client.get("/auth/me", { token: body.access_token }), 200, user);
  });

  test("POST /auth/token: the failures of a login", async () => {
    const { client, users } = blog();
    const { email } = await users.one();
    assertError(await client.post("/auth/token", { email, password: "wrong horse" }), 401, "Invalid credentials");
    assertError(await client.post("/auth/token", { email }), 400, "Invalid request");
  });

  test("Refreshing consumes the old token (single use) and returns a new access token and a new refresh token", async () => {
    const { client, users } = blog();
    const { user } = await users.one();
    const first = await startFamily(blog());
    const second = await refresh(blog(), first);
    assert.equal(second.status, 200);
    assert.deepEqual(Object.keys(second.body).sort(), ["access_token", "expires_in", "refresh_token"]);
    assert.match(second.body.refresh_token, uuid);
    assert.notEqual(second.body.refresh_token, first);
    assertReply(await client.get("/auth/me", { token: second.body.access_token }), 200, user);
    // rotations within one second: the old one is invalid, the new one valid (A9)
    assert.equal((await refresh(blog(), second.body.refresh_token)).status, 200);
  });

  test("Refresh token, absent or expired: fails with the error `invalid refresh token`", async () => {
    for (const token of [randomUUID(), "x", "null"]) {
      assertError(await refresh(blog(), token), 401, "invalid refresh token");
    }
  });

  test("POST /auth/refresh: 400 `Invalid request` without a token", async () => {
    const { client } = blog();
    for (const json of [{}, { refresh_token: "" }, { refresh_token: 5 }, { refresh_token: null }]) {
      assertError(await client.post("/auth/refresh", json), 400, "Invalid request");
    }
  });

  test("Reuse of a consumed token revokes its whole family (A11), and no other", async () => {
    const { log } = blog();
    const other = await startFamily(blog());
    const first = await startFamily(blog());
    const second = await refresh(blog(), first);
    assertError(await refresh(blog(), first), 401, "invalid refresh token");
    assertError(await refresh(blog(), second.body.refresh_token), 401, "invalid refresh token");
    assert.ok(log.all.some(({ level, event }) => level === "warn" && event === "refresh token reused"));
    assert.equal((await refresh(blog(), other)).status, 200);
  });

  test("POST /auth/logout revokes a presented refresh token and all that descend from the same login (A10)", async () => {
    const { client } = blog();
    const refresh_token = await startFamily(blog());
    assertReply(await client.post("/auth/logout", { refresh_token }), 200, { message: "Logged out" });
    assertError(await refresh(blog(), refresh_token), 401, "invalid refresh token");

    const again = await startFamily(blog());
    const next = await refresh(blog(), again);
    await client.post("/auth/logout", { refresh_token: again });
    assertError(await refresh(blog(), next.body.refresh_token), 401, "invalid refresh token");
  });

  test("A consumed token stays invalid after a restart, and an unused one valid (A8)", async () => {
    const { urls } = blog();
    const used = await startFamily(blog());
    const { body } = await refresh(blog(), used);
    await withBlog(urls, async (restarted) => {
      assert.equal((await refresh(restarted, body.refresh_token)).status, 200);
      assertError(await refresh(restarted, used), 401, "invalid refresh token");
    });
  });

  test("A refresh token is not a bearer token, and an access token is not a refresh token (J14)", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    assertError(await client.get("/auth/me", { token: await startFamily(blog()) }), 401, "Invalid token");
    assertError(await refresh(blog(), token), 401, "invalid refresh token");
  });

  test("A refresh token whose user is deleted fails like an absent one (A14)", async () => {
    const { users } = blog();
    const gone = await users.add();
    const token = await users.refreshToken(gone);
    await users.remove(gone);
    assertError(await refresh(blog(), token), 401, "invalid refresh token");
  });
});
