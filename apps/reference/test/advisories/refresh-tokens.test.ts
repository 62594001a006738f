import assert from "node:assert/strict";
import { test } from "node:test";
import type { TokenPair } from "../../src/auth/auth.service.ts";
import { type Blog, describeOnStorages, withBlog } from "../support/blog.ts";
import { assertError, type Client } from "../support/client.ts";

const refresh = (client: Client, refresh_token: string) => client.post<TokenPair>("/auth/refresh", { refresh_token });

async function startFamily({ users }: Blog): Promise<string> {
  return users.refreshToken(await users.one());
}

async function next(client: Client, token: string): Promise<string> {
  const { status, body } = await refresh(client, token);
  assert.equal(status, 200);
  return body.refresh_token;
}

const assertDead = async (client: Client, token: string) =>
  assertError(await refresh(client, token), 401, "invalid refresh token");

describeOnStorages("Advisories about refresh tokens", (blog) => {
  test("exactly one of 100 concurrent refreshes on two instances wins (A7, CVE-2026-1035, GHSA-392p-2q2v-4372)", () =>
    withBlog(blog().urls, async (other) => {
      const clients = [blog().client, other.client];
      const token = await startFamily(blog());
      // compiles the schemas of the responses now: between the calls it would make Redis seem slow
      for (const client of clients) await assertDead(client, "unknown");
      const calls = Array.from({ length: 50 }, () => clients.map((client) => refresh(client, token)));
      const replies = await Promise.all(calls.flat());
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies) if (reply.status !== 200) assertError(reply, 401, "invalid refresh token");
    }));

  test("a consumed refresh token stays invalid after a restart (A8, CVE-2026-9802)", async () => {
    const { client, urls } = blog();
    const used = await startFamily(blog());
    const living = await next(client, used);
    const other = await startFamily(blog());
    await withBlog(urls, async (restarted) => {
      await next(restarted.client, living);
      await next(restarted.client, other);
      await assertDead(restarted.client, used);
    });
  });

  test("only the last of several tokens issued within a millisecond is valid (A9, Keycloak 50999)", async () => {
    const { client, clock } = blog();
    const before = clock.now();
    for (let age = 1; age <= 3; age++) {
      const tokens = [await startFamily(blog())];
      for (let turn = 0; turn < 4; turn++) tokens.push(await next(client, tokens.at(-1) ?? ""));
      await assertDead(client, tokens.at(-1 - age) ?? "");
    }
    assert.equal(clock.now(), before, "all of it in the same millisecond");
  });

  test("no token of the family can be refreshed after the response to a logout (A10, Keycloak 51312)", () =>
    withBlog(blog().urls, async (other) => {
      for (let round = 0; round < 10; round++) {
        const token = await startFamily(blog());
        const [refreshed, logout] = await Promise.all([
          refresh(blog().client, token),
          other.client.post("/auth/logout", { refresh_token: token }),
        ]);
        assert.equal(logout.status, 200);
        const latest = refreshed.status === 200 ? refreshed.body.refresh_token : token;
        for (const { client } of [blog(), other]) await assertDead(client, latest);
      }
    }));

  test("presenting a used token again revokes its whole family, and no other (A11, RFC 9700)", async () => {
    const { client } = blog();
    const other = await startFamily(blog());
    const first = await startFamily(blog());
    const second = await next(client, first);
    const third = await next(client, second);
    await assertDead(client, first);
    for (const token of [first, second, third]) await assertDead(client, token);
    await next(client, other);
  });
});
