import assert from "node:assert/strict";
import type { LoginResponse, TokenPair } from "../../src/auth/auth.service.ts";
import { jwtSecret, testOnStorages } from "../support/blog.ts";
import type { Reply } from "../support/client.ts";
import { uniqueEmail } from "../support/users.ts";

testOnStorages(
  "The User's password is never serialized in a response or a log line, and no other secret is logged",
  async ({ client, log }) => {
    const replies: Reply<unknown>[] = [];
    const post = async <T>(path: string, json: unknown, headers: Record<string, string> = {}): Promise<Reply<T>> => {
      const reply = await client.post<T>(path, json, { headers });
      replies.push(reply);
      return reply;
    };
    const password = "correct horse battery";
    const email = uniqueEmail();
    const credentials = { email, password };

    const { body: registered } = await post<LoginResponse>("/auth/register", { ...credentials, name: "Ada" });
    await post("/auth/register", { ...credentials, name: "Ada" });
    await post("/auth/register", { ...credentials, password: [password] });
    await post("/auth/login", credentials);
    await post("/auth/login", { ...credentials, password: `not ${password}` });
    const { body: pair } = await post<TokenPair>("/auth/token", credentials);
    const { body: next } = await post<TokenPair>("/auth/refresh", { refresh_token: pair.refresh_token });
    await post("/auth/refresh", { refresh_token: pair.refresh_token });
    const session = await post("/auth/session", credentials);
    const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const authorization = `Bearer ${registered.token}`;
    const { body: created } = await post<{ id: string; key: string }>("/auth/api-keys", {}, { authorization });
    replies.push(await client.get("/auth/key", { headers: { "x-api-key": created.key } }));
    replies.push(await client.get("/auth/me", { headers: { authorization } }));
    replies.push(await client.get("/auth/session", { headers: { cookie } }));
    replies.push(await client.call("DELETE", `/auth/api-keys/${created.id}`, { headers: { authorization } }));
    await post("/posts", { title: "t", content: "c" }, { authorization });
    replies.push(await client.get("/my-posts", { headers: { authorization } }));
    await post("/auth/logout", { refresh_token: next.refresh_token }, { cookie });

    const cacheable = replies.filter(({ headers }) => headers.get("cache-control") !== "no-store");
    assert.deepEqual(cacheable, [], "every reply is for one caller");
    for (const { text } of replies) {
      assert.ok(!text.includes(password), text);
      assert.ok(!/"password|\$2b\$/.test(text), text);
    }
    const sessionId = cookie.replace("session_id=", "");
    const secrets = {
      password,
      hash: "$2b$",
      jwtSecret,
      token: registered.token,
      access: pair.access_token,
      refresh: pair.refresh_token,
      next: next.refresh_token,
      sessionId,
      key: created.key,
    };
    assert.ok(Object.values(secrets).every((secret) => secret.length > 3));
    for (const line of log.all.map((entry) => JSON.stringify(entry))) {
      for (const [name, secret] of Object.entries(secrets)) assert.ok(!line.includes(secret), `${name} in ${line}`);
    }

    const events = log.all.flatMap(({ event }) => (typeof event === "string" ? [event] : []));
    assert.deepEqual(events, [
      "registered",
      "logged in",
      "login failed",
      "logged in",
      "refreshed",
      "refresh token reused",
      "logged in",
      "api key created",
      "api key used",
      "api key revoked",
      "logged out",
    ]);
    const { id } = registered.user;
    const named = log.all.filter(({ event }) => ["registered", "logged in", "refreshed"].includes(String(event)));
    assert.ok(named.length === 5 && named.every(({ user_id }) => user_id === id));
  },
);
