import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Blog, describeOnStorages, withBlog } from "../support/blog.ts";
import { assertError, type Client } from "../support/client.ts";

const uuid = /^session_id=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The cookie that a browser sends from now on. */
async function logIn({ client, users }: Blog, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { email, password } = await users.one();
  const reply = await client.post("/auth/session", { email, password }, { headers });
  assert.equal(reply.status, 201);
  return reply.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const look = (client: Client, cookie: string) => client.get("/auth/session", { headers: { cookie } });

describeOnStorages("Advisories about sessions", (blog) => {
  test("a session id sent by a client is never adopted, and each login creates a new one (A12, CVE-2023-29019, CVE-2023-29020)", async () => {
    const { client } = blog();
    const planted = `session_id=${randomUUID()}`;
    assertError(await look(client, planted), 401, "Invalid session");
    const first = await logIn(blog(), { cookie: planted });
    assert.match(first, uuid);
    assert.notEqual(first, planted);
    assertError(await look(client, planted), 401, "Invalid session");
    const second = await logIn(blog(), { cookie: first });
    assert.match(second, uuid);
    assert.notEqual(second, first);
    assertError(await look(client, first), 401, "Invalid session");
    assert.equal((await look(client, second)).status, 200);
  });

  test("a session that ends on one instance is invalid on the other at once (A13, GHSA-xg6x-h9c9-2m83)", () =>
    withBlog(blog().urls, async (other) => {
      const { client, users } = blog();
      const { cookie } = await users.session(await users.one());
      for (let round = 0; round < 3; round++) {
        for (const each of [client, other.client]) assert.equal((await look(each, cookie)).status, 200);
      }
      assert.equal((await client.call("POST", "/auth/logout", { headers: { cookie } })).status, 200);
      for (const each of [other.client, client]) assertError(await look(each, cookie), 401, "Invalid session");
    }));

  test("a session cookie sent again after the logout is refused (A18, CVE-2024-31999)", async () => {
    const { client } = blog();
    const cookie = await logIn(blog());
    assert.equal((await look(client, cookie)).status, 200);
    const logout = await client.call("POST", "/auth/logout", { headers: { cookie } });
    assert.match(logout.headers.getSetCookie()[0] ?? "", /^session_id=; .*Max-Age=0/);
    for (let round = 0; round < 3; round++) assertError(await look(client, cookie), 401, "Invalid session");
  });

  test("a session is valid for 86,399 seconds and expired in the next, by the statement that reads it (A20)", async () => {
    const { client, clock } = blog();
    const cookie = await logIn(blog());
    clock.advance("86399s");
    assert.equal((await look(client, cookie)).status, 200);
    clock.advance("1s");
    assertError(await look(client, cookie), 401, "Invalid session");
  });
});
