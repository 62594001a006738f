import assert from "node:assert/strict";
import { test } from "node:test";
import { BearerAuth, Logins, requireRole } from "@tenon/auth";
import type { Context } from "@tenon/core";
import { Database } from "@tenon/data";
import type { LoginResponse, TokenPair } from "../../src/auth/auth.service.ts";
import type { Schema } from "../../src/database/schema.ts";
import { describeOnStorages, jwtSecret } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";
import { headerOf, mint, payloadOf } from "../support/tokens.ts";

const guarded = [
  ["GET", "/auth/me"],
  ["POST", "/posts"],
  ["PUT", "/posts/1"],
  ["PATCH", "/posts/1"],
  ["DELETE", "/posts/1"],
  ["GET", "/my-posts"],
  ["GET", "/auth/api-keys"],
  ["POST", "/auth/api-keys"],
  ["DELETE", "/auth/api-keys/1"],
] as const;

describeOnStorages("Bearer token (JWT)", (blog) => {
  test("Header missing or empty: 401 `Missing authorization header`", async () => {
    const { client } = blog();
    for (const [method, path] of guarded) {
      assertError(await client.call(method, path), 401, "Missing authorization header");
      const empty = { headers: { authorization: "" } };
      assertError(await client.call(method, path, empty), 401, "Missing authorization header");
    }
  });

  test("Header without the `Bearer ` prefix: 401 `Invalid authorization format`", async () => {
    const { client, users } = blog();
    const { token } = await users.one();
    for (const authorization of [
      token,
      `bearer ${token}`,
      `BEARER ${token}`,
      `Basic ${token}`,
      "Bearer",
      `Bearer${token}`,
    ]) {
      const reply = await client.get("/auth/me", { headers: { authorization } });
      assertError(reply, 401, "Invalid authorization format");
    }
  });

  test("Token invalid: 401 `Invalid token`", async () => {
    const { client, clock, users } = blog();
    const { token, user } = await users.one();
    const [head, body, signature = ""] = token.split(".");
    const payload = { user_id: user.id, email: user.email, exp: Math.floor(clock.now() / 1000) + 60 };
    const invalid = [
      "x",
      `${head}.${body}`,
      `${head}.${body}.`,
      `${head}.${body}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
      ` ${token}`,
      mint(payload, { alg: "HS256" }, `${jwtSecret}!`),
      mint(payload, { alg: "HS256" }, ""),
      mint({ ...payload, exp: undefined }),
      mint({ ...payload, exp: String(payload.exp) }),
      mint({ ...payload, user_id: "" }),
      mint({ ...payload, user_id: undefined }),
      mint({ ...payload, user_id: [user.id] }),
      mint({ ...payload, role: 5 }),
      mint({ ...payload, iat: "now" }),
      mint({ ...payload, iss: {} }),
      mint(payload, { alg: "HS256", crit: ["exp"], exp: 1 }),
      mint(payload, { alg: "HS256", b64: false }),
      mint(payload, { alg: "HS256", zip: "DEF" }),
    ];
    for (const user_id of ["\0", `${user.id}\0`, "\ud800", `${user.id}\udfff`]) {
      invalid.push(mint({ ...payload, user_id })); // signed correctly: PostgreSQL itself would throw on the first
    }
    for (const hostile of invalid) assertError(await client.get("/auth/me", { token: hostile }), 401, "Invalid token");
  });

  test("Validation rejects a token whose signing method is not an HMAC method, and of those takes HS256 only", async () => {
    const { client, clock, users } = blog();
    const { user } = await users.one();
    const payload = { user_id: user.id, email: user.email, exp: Math.floor(clock.now() / 1000) + 60 };
    for (const alg of [
      "none",
      "None",
      "RS256",
      "ES256",
      "PS256",
      "EdDSA",
      "HS384",
      "HS512",
      "",
      ["HS256"],
      undefined,
    ]) {
      const token = mint(payload, { alg, typ: "JWT" });
      assertError(await client.get("/auth/me", { token }), 401, "Invalid token");
    }
    const unsigned = mint(payload, { alg: "none" }).replace(/[^.]+$/, "");
    assertError(await client.get("/auth/me", { token: unsigned }), 401, "Invalid token");
  });

  test("Signing algorithm: HS256, with the claims of the table, expiry being issue time plus 24 hours", async () => {
    const { clock, users } = blog();
    const { token, user } = await users.one();
    const issued = Math.floor(clock.now() / 1000);
    assert.deepEqual(headerOf(token), { alg: "HS256", typ: "JWT" });
    assert.deepEqual(payloadOf(token), {
      user_id: user.id,
      email: user.email,
      role: "user",
      iat: issued,
      exp: issued + 86_400,
      iss: "tenon-blog",
      stamp: "", // the login, for the end of all logins
    });
  });

  test("Accepted tokens: a minted `{user_id,email,exp}` works, also after the end of all logins", async () => {
    const { app, client, clock, users } = blog();
    const { user } = await users.add();
    const token = mint({ user_id: user.id, email: user.email, exp: Math.floor(clock.now() / 1000) + 60 });
    assertReply(await client.get("/auth/me", { token }), 200, user);
    await app.get(Logins).endAll(user.id);
    assertReply(await client.get("/auth/me", { token }), 200, user);
  });

  test("Sessions and tokens: the end of all logins ends access tokens, and refreshed ones with their login", async () => {
    const { app, client, users } = blog();
    const { email, password, user } = await users.add();
    const login = { email, password };
    const { token } = (await client.post<LoginResponse>("/auth/login", login)).body;
    const { access_token, refresh_token } = (await client.post<TokenPair>("/auth/token", login)).body;
    const refreshed = (await client.post<TokenPair>("/auth/refresh", { refresh_token })).body;
    const issued = [token, access_token, refreshed.access_token];
    for (const one of issued) assertReply(await client.get("/auth/me", { token: one }), 200, user);
    await app.get(Logins).endAll(user.id);
    for (const one of issued)
      assertError(await client.post("/auth/api-keys", {}, { token: one }), 401, "Invalid token");
    const again = (await client.post<LoginResponse>("/auth/login", login)).body.token;
    assert.equal((await client.post("/auth/api-keys", {}, { token: again })).status, 201);
  });

  test("Otherwise it stores `user_id`, `user_email` and `user_role` in the request context and continues", async () => {
    const { app, client, users } = blog();
    const { token, user } = await users.one();
    const handler = (ctx: Context) => [ctx.get("user_id"), ctx.get("user_email"), ctx.get("user_role")];
    app.routes.add({ method: "GET", path: "/whoami", handler, middlewares: [BearerAuth] });
    assertReply(await client.get("/whoami", { token }), 200, [user.id, user.email, "user"]);
  });

  test("The guard runs before the body is read: no token and a bad body is 401", async () => {
    const { client } = blog();
    for (const body of ["{", '{"title":5}', "x".repeat(2 * 1024 * 1024)]) {
      assertError(await client.call("POST", "/posts", { body }), 401, "Missing authorization header");
      assertError(await client.call("PUT", "/posts/1", { body, token: "x" }), 401, "Invalid token");
    }
  });

  test('Roles: `requireRole("admin")` rejects every other role with 403 `Forbidden`', async () => {
    const { app, client, users } = blog();
    const { token, user, email, password } = await users.add();
    const handler = () => "in";
    app.routes.add({ method: "GET", path: "/admin", handler, middlewares: [BearerAuth, requireRole("admin")] });
    assertError(await client.get("/admin"), 401, "Missing authorization header");
    assertError(await client.get("/admin", { token }), 403, "Forbidden");
    const made = app
      .get(Database<Schema>)
      .updateTable("users")
      .set({ role: "admin" });
    await made.where("id", "=", user.id).execute();
    assertError(await client.get("/admin", { token }), 403, "Forbidden");
    const { body } = await client.post<LoginResponse>("/auth/login", { email, password });
    assert.equal(payloadOf(body.token).role, "admin");
    assertReply(await client.get("/admin", { token: body.token }), 200, "in");
  });
});
