import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startProxy } from "../../../packages/data/test/support/fault-proxy.ts";
import { recovered } from "../../../packages/data/test/support/settle.ts";
import { createTutorialModule } from "../src/app.module.ts";
import type { TokenPair } from "../src/auth/auth.service.ts";
import { withBlog } from "./support/blog.ts";
import { storages } from "./support/storages.ts";
import { uniqueEmail } from "./support/users.ts";

const onServers = storages.find(({ name }) => name === "PostgreSQL and Redis");

if (onServers !== undefined) {
  const password = "correct horse";

  test("a refresh that fails because the database is down leaves the token valid", () =>
    onServers.with(async (urls) => {
      const { proxy, url } = await startProxy(urls.databaseUrl, 5432);
      try {
        await withBlog({ ...urls, databaseUrl: url }, async ({ client }) => {
          const email = uniqueEmail();
          await client.post("/auth/register", { email, password, name: "Ada" });
          const { body } = await client.post<TokenPair>("/auth/token", { email, password });
          const refresh = () => client.post("/auth/refresh", { refresh_token: body.refresh_token });
          await proxy.become("refused");
          const away = await refresh();
          assert.deepEqual([away.status, away.body], [503, { error: "store unavailable" }]);
          assert.equal(away.headers.get("retry-after"), "1");
          await proxy.become("none");
          await recovered(async () => assert.equal((await client.get("/posts")).status, 200));
          assert.equal((await refresh()).status, 200);
        });
      } finally {
        await proxy.stop();
      }
    }));

  test("while the database is down, the routes whose specification says so respond with 500 and all others with 503", () =>
    onServers.with(async (urls) => {
      const { proxy, url } = await startProxy(urls.databaseUrl, 5432);
      const user = { email: uniqueEmail(), password, name: "Ada" };
      const post = { title: "t", content: "c" };
      try {
        await withBlog({ ...urls, databaseUrl: url }, async ({ client, users }) => {
          const { token } = await users.one();
          const id = randomUUID();
          await proxy.become("refused");
          for (const [method, path, json, status, error] of [
            ["POST", "/posts", post, 500, "store unavailable"],
            ["PUT", `/posts/${id}`, post, 500, "store unavailable"],
            ["DELETE", `/posts/${id}`, undefined, 500, "store unavailable"],
            ["POST", "/auth/register", user, 500, "Failed to create user"],
            ["PATCH", `/posts/${id}`, post, 503, "store unavailable"],
            ["GET", "/posts", undefined, 503, "store unavailable"],
            ["GET", `/posts/${id}`, undefined, 503, "store unavailable"],
            ["GET", "/auth/me", undefined, 503, "store unavailable"],
            ["POST", "/auth/token", user, 503, "store unavailable"],
            ["POST", "/auth/login", user, 503, "store unavailable"],
          ] as const) {
            const reply = await client.call(method, path, { token, json });
            assert.deepEqual([method, path, reply.status, reply.body], [method, path, status, { error }]);
            assert.equal(reply.headers.get("retry-after"), status === 503 ? "1" : null);
          }
        });
        await proxy.become("none");
        const variant = { createModule: createTutorialModule };
        await withBlog(
          { ...urls, databaseUrl: url },
          async ({ client }) => {
            await proxy.become("refused");
            const login = await client.post("/auth/login", user);
            assert.deepEqual([login.status, login.body], [500, { error: "store unavailable" }]);
            const register = await client.post("/auth/register", user);
            assert.deepEqual([register.status, register.body], [400, { error: "store unavailable" }]);
          },
          variant,
        );
      } finally {
        await proxy.stop();
      }
    }));

  test("a logout while the session store is down reports it, and still clears the cookie", () =>
    onServers.with(async (urls) => {
      const { proxy, url } = await startProxy(urls.redisUrl ?? "", 6379);
      try {
        await withBlog({ ...urls, redisUrl: url }, async ({ client }) => {
          const email = uniqueEmail();
          await client.post("/auth/register", { email, password, name: "Ada" });
          const session = await client.post("/auth/session", { email, password });
          const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? "";
          await proxy.become("refused");
          const reply = await client.call("POST", "/auth/logout", { headers: { cookie } });
          assert.deepEqual([reply.status, reply.body], [500, { error: "store unavailable" }]);
          assert.match(reply.headers.getSetCookie()[0] ?? "", /^session_id=; Path=\/; Max-Age=0;/);
        });
      } finally {
        await proxy.stop();
      }
    }));
}
