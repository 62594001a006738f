import assert from "node:assert/strict";
import { test } from "node:test";
import { Tokens } from "@tenon/auth";
import { provide } from "@tenon/core";
import { Database } from "@tenon/data";
import type { LoginResponse } from "../../src/auth/auth.service.ts";
import type { Schema } from "../../src/database/schema.ts";
import type { User } from "../../src/users/user.ts";
import { describeOnStorages, withBlog, withFreshBlog } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";
import { uniqueEmail } from "../support/users.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const password = "correct horse";

describeOnStorages("Authentication endpoints", (blog, storage) => {
  test("POST /auth/register: none, `RegisterDTO` → 201, `LoginResponse`", async () => {
    const { client, clock } = blog();
    const email = uniqueEmail();
    const { status, body } = await client.post<LoginResponse>("/auth/register", { email, password, name: "Ada" });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body), ["token", "expires_in", "user"]);
    assert.match(body.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.equal(body.expires_in, 86_400);
    assert.match(body.user.id, uuid);
    assert.deepEqual(body.user, { id: body.user.id, email, name: "Ada", created_at: clock.timestamp() });
  });

  test("POST /auth/register: 400 `Invalid request` (body cannot be bound)", async () => {
    const { client } = blog();
    const valid = { email: uniqueEmail(), password, name: "Ada" };
    const bodies: readonly unknown[] = [
      { ...valid, email: undefined },
      { ...valid, email: "" },
      { ...valid, email: "not an address" },
      { ...valid, email: 5 },
      { ...valid, password: undefined },
      { ...valid, password: "1234567" },
      { ...valid, password: 12_345_678 },
      { ...valid, name: undefined },
      { ...valid, name: "" },
      { ...valid, name: null },
      [valid],
      "text",
      null,
    ];
    for (const json of bodies) assertError(await client.post("/auth/register", json), 400, "Invalid request");
    for (const body of ["", "{", '{"email":', "\u0000", '{"email":"a@b.co"} x']) {
      assertError(await client.call("POST", "/auth/register", { body }), 400, "Invalid request");
    }
    assertError(await client.call("POST", "/auth/register"), 400, "Invalid request");
    const form = { headers: { "content-type": "text/plain" } };
    assertError(await client.post("/auth/register", valid, form), 400, "Invalid request");
  });

  test("POST /auth/register: 409 `Email already registered`, the address in ASCII lower case being unique", async () => {
    const { client, users } = blog();
    const { email } = await users.one();
    const again = { email: email.toUpperCase(), password, name: "Eve" };
    assertError(await client.post("/auth/register", again), 409, "Email already registered");
  });

  test("POST /auth/register: the Kelvin sign is not the letter k (A6)", async () => {
    const { client, users } = blog();
    const { user } = await users.add(uniqueEmail().replace("ada", "k"));
    const kelvin = user.email.replace("k", "\u212a");
    const { status, body } = await client.post<LoginResponse>("/auth/register", { email: kelvin, password, name: "K" });
    assert.equal(status, 201);
    assert.equal(body.user.email, kelvin);
  });

  test("POST /auth/register: 500 `Failed to create user`", async () => {
    await withFreshBlog(storage, async ({ app, client, log }) => {
      await app
        .get(Database<Schema>)
        .schema.alterTable("users")
        .renameTo("elsewhere")
        .execute();
      const input = { email: uniqueEmail(), password, name: "Ada" };
      assertError(await client.post("/auth/register", input), 500, "Failed to create user");
      assert.deepEqual(log.causes(), ["Failed to create user"]);
    });
  });

  test("POST /auth/login: none, `LoginDTO` → 200, `LoginResponse`", async () => {
    const { client, users } = blog();
    const { email, user } = await users.one();
    // login folds the address, and returns it as it was registered
    const { status, body } = await client.post<LoginResponse>("/auth/login", { email: email.toUpperCase(), password });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["token", "expires_in", "user"]);
    assert.equal(body.expires_in, 86_400);
    assert.deepEqual(body.user, user);
  });

  test("POST /auth/login: 400 `Invalid request`", async () => {
    const { client } = blog();
    const bodies = [
      {},
      { email: "a@b.co" },
      { password },
      { email: "nobody", password },
      { email: "a@b.co", password: "" },
    ];
    for (const json of bodies) assertError(await client.post("/auth/login", json), 400, "Invalid request");
    assertError(await client.call("POST", "/auth/login", { body: "{" }), 400, "Invalid request");
  });

  test("POST /auth/login: 401 `Invalid credentials` (unknown email or wrong password, same message)", async () => {
    const { client, users } = blog();
    const { email } = await users.one();
    const unknown = await client.post("/auth/login", { email: uniqueEmail(), password });
    const wrong = await client.post("/auth/login", { email, password: `${password}!` });
    assertError(unknown, 401, "Invalid credentials");
    assertError(wrong, 401, "Invalid credentials");
  });

  test("POST /auth/login: 500 `Failed to generate token`", async () => {
    class BrokenTokens extends Tokens {
      override issue(): Promise<string> {
        return Promise.reject(new Error("no entropy"));
      }
    }
    const { users, urls } = blog();
    const { email } = await users.one();
    await withBlog(
      urls,
      async ({ client, log }) => {
        const reply = await client.post("/auth/login", { email, password });
        assertError(reply, 500, "Failed to generate token");
        assert.deepEqual(log.causes(), ["Failed to generate token"]);
      },
      { override: [provide(Tokens, () => new BrokenTokens())] },
    );
  });

  test("POST /auth/logout: 200 `Logged out`, always and idempotent, and the cookie expires", async () => {
    const { client } = blog();
    const bodies = [
      undefined,
      "",
      "{",
      "[]",
      "{}",
      '{"refresh_token":5}',
      '{"refresh_token":"unknown"}',
      "x".repeat(20_000),
    ];
    for (const body of bodies) {
      const reply = await client.call("POST", "/auth/logout", body === undefined ? {} : { body });
      assertReply(reply, 200, { message: "Logged out" });
      assert.deepEqual(reply.headers.getSetCookie(), ["session_id=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    }
    const headers = { cookie: "session_id=never-was", authorization: "nonsense" };
    assertReply(await client.call("POST", "/auth/logout", { headers }), 200, { message: "Logged out" });
  });

  test("GET /auth/me: bearer token → the flat User", async () => {
    const { client, users } = blog();
    const { token, user } = await users.one();
    assertReply(await client.get<User>("/auth/me", { token }), 200, user);
  });

  test("GET /auth/me: 401 as in the Authentication part", async () => {
    const { client } = blog();
    assertError(await client.get("/auth/me"), 401, "Missing authorization header");
    const raw = { headers: { authorization: "Basic YTpi" } };
    assertError(await client.get("/auth/me", raw), 401, "Invalid authorization format");
    assertError(await client.get("/auth/me", { token: "a.b.c" }), 401, "Invalid token");
  });

  test("GET /auth/me: a valid token whose user is deleted is 401 `Invalid token`", async () => {
    const { client, users } = blog();
    const gone = await users.add();
    await users.remove(gone);
    assertError(await client.get("/auth/me", { token: gone.token }), 401, "Invalid token");
  });

  test("RegisterDTO: extra body fields are ignored (B13)", async () => {
    const { app, client, clock } = blog();
    const extra = { id: "mine", role: "admin", password_hash: "x", created_at: "2001-01-01T00:00:00.000Z" };
    const email = uniqueEmail();
    const input = { email, password, name: "Ada", ...extra };
    const { body } = await client.post<LoginResponse>("/auth/register", input);
    assert.deepEqual(body.user, { id: body.user.id, email, name: "Ada", created_at: clock.timestamp() });
    assert.match(body.user.id, uuid);
    const users = app.get(Database<Schema>).selectFrom("users");
    const row = await users.select("role").where("id", "=", body.user.id).executeTakeFirst();
    assert.deepEqual(row, { role: "user" });
  });
});
