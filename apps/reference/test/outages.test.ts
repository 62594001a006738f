import assert from "node:assert/strict";
import { test } from "node:test";
import { startProxy } from "../../../packages/data/test/support/fault-proxy.ts";
import { recovered } from "../../../packages/data/test/support/settle.ts";
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
          assert.deepEqual([away.status, away.body], [500, { error: "store unavailable" }]);
          await proxy.become("none");
          await recovered(async () => assert.equal((await client.get("/posts")).status, 200));
          assert.equal((await refresh()).status, 200);
        });
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
