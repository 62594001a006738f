import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { SessionAuth } from "@tenon/auth";
import type { Context } from "@tenon/core";
import type { User } from "../../src/users/user.ts";
import { describeOnStorages } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

describeOnStorages("Session authentication", (blog) => {
  test("POST /auth/session: creates one; its identifier is a random UUID and travels in the cookie `session_id`", async () => {
    const { client, users } = blog();
    const { email, password, user } = await users.one();
    const reply = await client.post<User>("/auth/session", { email, password });
    assertReply(reply, 201, user);
    const [cookie = "", ...others] = reply.headers.getSetCookie();
    assert.deepEqual(others, []);
    assert.match(cookie, new RegExp(`^session_id=${uuid}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax$`));
  });

  test("POST /auth/session: the cookie is Secure on https", async () => {
    const { app, users } = blog();
    const { email, password } = await users.one();
    const request = new Request("https://localhost/auth/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    const [cookie = ""] = (await app.fetch(request)).headers.getSetCookie();
    assert.match(cookie, new RegExp(`^session_id=${uuid}; Path=/; Max-Age=86400; HttpOnly; Secure; SameSite=Lax$`));
  });

  test("POST /auth/session: the failures of a login, and no cookie", async () => {
    const { client, users } = blog();
    const { email } = await users.one();
    const wrong = await client.post("/auth/session", { email, password: "wrong horse" });
    assertError(wrong, 401, "Invalid credentials");
    const unreadable = await client.post("/auth/session", { email });
    assertError(unreadable, 400, "Invalid request");
    for (const { headers } of [wrong, unreadable]) assert.deepEqual(headers.getSetCookie(), []);
  });

  test("Session middleware: cookie missing gives 401 `Not authenticated`", async () => {
    const { client } = blog();
    assertError(await client.get("/auth/session"), 401, "Not authenticated");
    const empty = { headers: { cookie: "session_id=; other=1" } };
    assertError(await client.get("/auth/session", empty), 401, "Not authenticated");
  });

  test("session unknown or expired gives 401 `Invalid session`", async () => {
    const { client } = blog();
    for (const id of [randomUUID(), "x", "%00", "'; drop table users"]) {
      const reply = await client.get("/auth/session", { headers: { cookie: `session_id=${id}` } });
      assertError(reply, 401, "Invalid session");
    }
  });

  test("otherwise `user_id` is stored in the context and the chain continues", async () => {
    const { app, client, users } = blog();
    const registered = await users.one();
    const headers = await users.session(registered);
    assertReply(await client.get("/auth/session", { headers }), 200, registered.user);
    const handler = (ctx: Context) => [ctx.get("user_id")];
    app.routes.add({ method: "GET", path: "/session-user", handler, middlewares: [SessionAuth] });
    assertReply(await client.get("/session-user", { headers }), 200, [registered.user.id]);
  });

  test("A new id at every login; a client's own id is never adopted (A12)", async () => {
    const { client, users } = blog();
    const { email, password } = await users.one();
    const own = { cookie: `session_id=${randomUUID()}` };
    const ids = new Set<string>();
    for (let login = 0; login < 2; login++) {
      const { headers } = await client.post("/auth/session", { email, password }, { headers: own });
      const [cookie = ""] = headers.getSetCookie();
      assert.ok(!cookie.includes(own.cookie));
      ids.add(cookie);
    }
    assert.equal(ids.size, 2);
    assertError(await client.get("/auth/session", { headers: own }), 401, "Invalid session");
  });

  test("A login ends only the previous session of the same browser", async () => {
    const { client, users } = blog();
    const { email, password } = await users.one();
    const previous = await users.add();
    const [old, other] = [await users.session(previous), await users.session(previous)];
    const failed = await client.post("/auth/session", { email, password: "wrong horse" }, { headers: old });
    assertError(failed, 401, "Invalid credentials");
    assert.equal((await client.get("/auth/session", { headers: old })).status, 200, "a failed login ends nothing");
    const opened = await client.post("/auth/session", { email, password }, { headers: old });
    assert.equal(opened.status, 201);
    assertError(await client.get("/auth/session", { headers: old }), 401, "Invalid session");
    assert.equal((await client.get("/auth/session", { headers: other })).status, 200);
    const cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    assert.equal((await client.get("/auth/session", { headers: { cookie } })).status, 200);
  });

  test("Session, active → session destroy → removed: a cookie that is sent again is refused (A18)", async () => {
    const { client, users } = blog();
    const registered = await users.one();
    const headers = await users.session(registered);
    const other = await users.session(registered);
    for (let logout = 0; logout < 2; logout++) {
      const reply = await client.call("POST", "/auth/logout", { headers });
      assertReply(reply, 200, { message: "Logged out" });
      assert.deepEqual(reply.headers.getSetCookie(), ["session_id=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
      assertError(await client.get("/auth/session", { headers }), 401, "Invalid session");
    }
    assert.equal((await client.get("/auth/session", { headers: other })).status, 200);
  });

  test("POST /auth/session and POST /auth/logout: 403 for a foreign Origin together with a session cookie, and nothing happens (K7)", async () => {
    const { client, users } = blog();
    const registered = await users.one();
    const headers = await users.session(registered);
    const body = JSON.stringify({ email: registered.email, password: registered.password });
    const send = (path: string, extra: Readonly<Record<string, string>>) =>
      // bytes: fetch adds no content type
      fetch(client.url + path, { method: "POST", headers: { ...headers, ...extra }, body: Buffer.from(body) });
    const foreign = [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "same-site" }];
    const types = [{}, { "content-type": "text/plain" }, { "content-type": "Application/JSON" }];
    for (const path of ["/auth/session", "/auth/logout"]) {
      for (const origin of foreign) {
        for (const type of types) {
          const reply = await send(path, { ...origin, ...type });
          assert.deepEqual([reply.status, await reply.text()], [403, '{"error":"Forbidden"}']);
          assert.deepEqual(reply.headers.getSetCookie(), []);
          assert.equal(reply.headers.get("cache-control"), "no-store");
        }
      }
    }
    assert.equal((await client.get("/auth/session", { headers })).status, 200, "the session lives on");
    const own = { origin: client.url, "sec-fetch-site": "same-origin", "content-type": "application/json" };
    assert.equal((await send("/auth/session", own)).status, 201);
  });

  test("A foreign Origin without a session cookie: POST /auth/session is 403, POST /auth/logout 200, and no cookie is set or cleared", async () => {
    const { client, users } = blog();
    const { email, password } = await users.one();
    for (const foreign of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const headers = { ...foreign, cookie: "other=1" };
      const login = await client.post("/auth/session", { email, password }, { headers });
      assertError(login, 403, "Forbidden");
      const logout = await client.call("POST", "/auth/logout", { headers });
      assertReply(logout, 200, { message: "Logged out" });
      for (const reply of [login, logout]) assert.deepEqual(reply.headers.getSetCookie(), []);
    }
    assert.equal((await client.post("/auth/session", { email, password })).status, 201);
  });

  test("A session whose user is deleted is 401 `Invalid session` (A14)", async () => {
    const { client, users } = blog();
    const registered = await users.add();
    const headers = await users.session(registered);
    await users.remove(registered);
    assertError(await client.get("/auth/session", { headers }), 401, "Invalid session");
  });
});
