import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyValue } from "@tenon/data";
import type { LoginResponse, TokenPair } from "../../src/auth/auth.service.ts";
import { type Blog, describeOnStorages, testOnStorages, withBlog } from "../support/blog.ts";
import { assertError, type Reply } from "../support/client.ts";
import { assertRest, noteFailures } from "../support/login-failures.ts";
import { uniqueEmail } from "../support/users.ts";

const day = 86_400;

/** `Retry-After` is the rest of a window that began at `start` or later. */
function assertTooMany(reply: Reply<unknown>, window: number, start: number): void {
  assertError(reply, 429, "Too Many Requests");
  assertRest(reply, window, start);
}

describeOnStorages("Limits", (blog) => {
  test("Access token lifetime: 24 hours (86400 seconds), valid at T−1 s, invalid at T (C1)", async () => {
    const { client, clock, users } = blog();
    const { email, password } = await users.add();
    const { body } = await client.post<LoginResponse>("/auth/login", { email, password });
    assert.equal(body.expires_in, day);
    clock.advance((day - 1) * 1000);
    assert.equal((await client.get("/auth/me", { token: body.token })).status, 200);
    clock.advance("1s");
    assertError(await client.get("/auth/me", { token: body.token }), 401, "Invalid token");
  });

  test("Session lifetime: 24 hours, valid at T−1 s, absent at T (A20)", async () => {
    const { client, clock, users } = blog();
    const { email, password } = await users.add();
    const opened = await client.post("/auth/session", { email, password });
    const headers = { cookie: opened.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
    clock.advance((day - 1) * 1000);
    assert.equal((await client.get("/auth/session", { headers })).status, 200);
    clock.advance("1s");
    assertError(await client.get("/auth/session", { headers }), 401, "Invalid session");
  });

  test("Refresh token lifetime: 7 days, valid at T−1 s, invalid at T (C1)", async () => {
    const { client, clock, users } = blog();
    const { email, password } = await users.add();
    const { body: pair } = await client.post<TokenPair>("/auth/token", { email, password });
    clock.advance((7 * day - 1) * 1000);
    const first = await client.post<TokenPair>("/auth/refresh", { refresh_token: pair.refresh_token });
    assert.equal(first.status, 200);
    // each has its own seven days
    clock.advance((7 * day - 1) * 1000);
    const second = await client.post<TokenPair>("/auth/refresh", { refresh_token: first.body.refresh_token });
    assert.equal(second.status, 200);
    clock.advance(7 * day * 1000);
    const third = await client.post("/auth/refresh", { refresh_token: second.body.refresh_token });
    assertError(third, 401, "invalid refresh token");
  });

  test("A body of an auth route has at most 16 KiB, of any other 1 MiB: 413", async () => {
    const { client, users } = blog();
    const { token } = await users.add();
    const sized = (bytes: number) => `${" ".repeat(bytes - 2)}{}`;
    for (const path of ["register", "login", "token", "refresh", "session", "api-keys"]) {
      const large = await client.call("POST", `/auth/${path}`, { body: sized(16 * 1024 + 1), token });
      assertError(large, 413, "Payload Too Large");
      const fitting = await client.call("POST", `/auth/${path}`, { body: sized(16 * 1024), token });
      assert.equal(fitting.status, path === "api-keys" ? 201 : 400);
    }
    const large = await client.call("POST", "/posts", { body: sized(1024 * 1024 + 1), token });
    assertError(large, 413, "Payload Too Large");
    const fitting = await client.call("POST", "/posts", { body: sized(1024 * 1024), token });
    assertError(fitting, 400, "Invalid request");
  });
});

testOnStorages(
  "Login rate limit: 20 failures in 15 min per account, 429 with Retry-After, for the right password too, and for no other account",
  async (blog) => {
    const { client, urls, users } = blog;
    const { email, password } = await users.add();
    const start = Date.now();
    await noteFailures(blog, new Array<string>(16).fill(email));
    // only failures count
    assert.equal((await client.post("/auth/login", { email, password })).status, 200);
    const paths = ["/auth/login", "/auth/token", "/auth/session"];
    for (const path of [...paths, "/auth/login"]) {
      const reply = await client.post(path, { email: email.toUpperCase(), password: "wrong horse" });
      assertError(reply, 401, "Invalid credentials");
    }
    for (const path of paths) assertTooMany(await client.post(path, { email, password }), 900, start);
    const other = await users.add();
    assert.equal((await client.post("/auth/login", { email: other.email, password })).status, 200);
    // the counters are in the store: only the switch lets the account in
    const login = ({ client: another }: Blog) => another.post("/auth/login", { email, password });
    await withBlog(urls, async (second) => assertTooMany(await login(second), 900, start));
    const off = await withBlog(urls, login, { config: { loginRateLimit: false } });
    assert.equal(off.status, 200);
  },
);

testOnStorages("Registrations: 500 of one network in an hour, then 429 with Retry-After", async (blog) => {
  const { app, client, urls } = blog;
  const input = () => ({ email: uniqueEmail(), password: "correct horse", name: "Ada" });
  assert.equal((await client.post("/auth/register", input())).status, 201);
  const key = "registrations:127.0.0.1";
  assert.equal(await app.get(KeyValue).get(key), 1);
  await app.get(KeyValue).set(key, 500, { ttl: 3600 });
  assertTooMany(await client.post("/auth/register", input()), 3600, Date.now());
  const register = ({ client: another }: Blog) => another.post("/auth/register", input());
  const off = await withBlog(urls, register, { config: { loginRateLimit: false } });
  assert.equal(off.status, 201);
  await app.get(KeyValue).delete(key); // other tests register users too
});

testOnStorages(
  "Login rate limit: 200 failures in 5 min per address, 429 with Retry-After for every account",
  async (blog) => {
    const { client, users } = blog;
    const { email, password } = await users.add();
    const start = Date.now();
    await noteFailures(
      blog,
      Array.from({ length: 199 }, () => uniqueEmail()),
    );
    const last = await client.post("/auth/login", { email: uniqueEmail(), password });
    assertError(last, 401, "Invalid credentials");
    assertTooMany(await client.post("/auth/login", { email, password }), 300, start);
  },
);
