import assert from "node:assert/strict";
import { test } from "node:test";
import { Passwords } from "@tenon/auth";
import { HttpError, provide } from "@tenon/core";
import { Database } from "@tenon/data";
import type { LoginResponse } from "../../src/auth/auth.service.ts";
import type { Schema } from "../../src/database/schema.ts";
import { type Blog, describeOnStorages, withBlog } from "../support/blog.ts";
import { assertError } from "../support/client.ts";
import { uniqueEmail } from "../support/users.ts";

function register({ client }: Blog, password: string, email = uniqueEmail()) {
  return client.post<LoginResponse>("/auth/register", { email, password, name: "Ada" });
}

async function storedHash({ app }: Blog, id: string): Promise<string> {
  const users = app.get(Database<Schema>).selectFrom("users");
  return (await users.select("password").where("id", "=", id).executeTakeFirstOrThrow()).password;
}

describeOnStorages("Passwords", (blog) => {
  test("Passwords are stored only as bcrypt hashes", async () => {
    const password = "correct horse";
    const { body } = await register(blog(), password);
    const hash = await storedHash(blog(), body.user.id);
    assert.match(hash, /^\$2b\$04\$[./A-Za-z0-9]{53}$/);
    assert.ok(!hash.includes(password));
  });

  test("Registration requires a password of at least 8 characters", async () => {
    assertError(await register(blog(), "1234567"), 400, "Invalid request");
    assert.equal((await register(blog(), "12345678")).status, 201);
  });

  test("Registration password minimum length, 8 characters: counts code points, not UTF-16 units", async () => {
    assertError(await register(blog(), "🔑".repeat(7)), 400, "Invalid request");
    assert.equal((await register(blog(), "🔑".repeat(8))).status, 201);
  });

  test("Passwords over 72 UTF-8 bytes: 400 at registration, 401 at login", async () => {
    const { client } = blog();
    const longest = "é".repeat(36);
    const email = uniqueEmail();
    assert.equal((await register(blog(), longest, email)).status, 201);
    assertError(await register(blog(), `${longest}x`), 400, "Invalid request");
    assert.equal((await client.post("/auth/login", { email, password: longest })).status, 200);
    // bcrypt itself reads 72 bytes and would accept it
    const longer = { email, password: `${longest}x` };
    assertError(await client.post("/auth/login", longer), 401, "Invalid credentials");
    const unknown = { ...longer, email: uniqueEmail() };
    assertError(await client.post("/auth/login", unknown), 401, "Invalid credentials");
  });

  test("U+0000 and ill-formed UTF-16 in any bound string: 400", async () => {
    const { client, users } = blog();
    const { email, token } = await users.one();
    for (const odd of ["\\u0000", "\\ud800", "\\udc00x"]) {
      for (const [path, body] of [
        ["/auth/register", `{"email":"${uniqueEmail()}","password":"12345678${odd}","name":"Ada"}`],
        ["/auth/register", `{"email":"${uniqueEmail()}","password":"12345678","name":"Ada${odd}"}`],
        ["/auth/register", `{"email":"ada${odd}@example.com","password":"12345678","name":"Ada"}`],
        ["/auth/login", `{"email":"${email}","password":"correct horse${odd}"}`],
        ["/auth/token", `{"email":"${email}","password":"correct horse${odd}"}`],
        ["/auth/session", `{"email":"${email}","password":"correct horse${odd}"}`],
        ["/auth/refresh", `{"refresh_token":"${odd}"}`],
        ["/auth/api-keys", `{"name":"${odd}"}`],
        ["/posts", `{"title":"${odd}","content":"c"}`],
        ["/posts", `{"title":"t","content":"c${odd}"}`],
      ] as const) {
        assertError(await client.call("POST", path, { body, token }), 400, "Invalid request");
      }
    }
  });

  test("Cost: a lower stored cost is rehashed at login", async () => {
    const { users, urls } = blog();
    const { user, email, password } = await users.add();
    await withBlog(
      urls,
      async (costly) => {
        assert.equal((await costly.client.post("/auth/login", { email, password })).status, 200);
        assert.match(await storedHash(costly, user.id), /^\$2b\$11\$/);
        assert.equal((await costly.client.post("/auth/login", { email, password })).status, 200);
      },
      { config: { bcryptCost: 11 } },
    );
  });

  test("Cost: a login succeeds also when the queue has no time to rehash its password", async () => {
    class BusyPasswords extends Passwords {
      override hash(): Promise<string> {
        return Promise.reject(new HttpError(503, "Service Unavailable"));
      }
    }
    const { users, urls } = blog();
    const { user, email, password } = await users.one();
    await withBlog(
      urls,
      async (busy) => {
        assert.equal((await busy.client.post("/auth/login", { email, password })).status, 200);
        assert.match(await storedHash(busy, user.id), /^\$2b\$04\$/);
        assert.deepEqual(busy.log.messages("warn"), ["the password could not be hashed again"]);
      },
      { config: { bcryptCost: 11 }, override: [provide(Passwords, () => new BusyPasswords())] },
    );
  });

  test("Cost: a full queue responds with 503 and Retry-After", async () => {
    const { urls } = blog();
    await withBlog(
      urls,
      async ({ client }) => {
        const call = (path: string) =>
          client.post(path, { email: uniqueEmail(), password: "correct horse", name: "Ada" });
        const paths = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? "/auth/login" : "/auth/register"));
        const replies = await Promise.all(paths.map(call));
        const turnedAway = replies.filter(({ status }) => status !== 401 && status !== 201);
        assert.ok(turnedAway.length > 0);
        for (const reply of turnedAway) {
          assertError(reply, 503, "Service Unavailable");
          assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        }
      },
      { config: { bcryptCost: 10 }, options: { passwordWait: 100 } },
    );
  });
});
