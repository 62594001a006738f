import assert from "node:assert/strict";
import { test } from "node:test";
import { leastMillisecondsOf } from "../../../../packages/core/test/support/time.ts";
import type { LoginResponse } from "../../src/auth/auth.service.ts";
import { type Blog, describeOnStorages, withFreshBlog } from "../support/blog.ts";
import { assertError } from "../support/client.ts";
import { storages } from "../support/storages.ts";
import { uniqueEmail } from "../support/users.ts";

function register({ client }: Blog, email: string, password: string) {
  return client.post<LoginResponse>("/auth/register", { email, password, name: "Ada" });
}

describeOnStorages(
  "Advisories about logins",
  (blog) => {
    test("A1 Spring CVE-2025-22228: no password is cut, so that none of 73 bytes opens what 72 of them open", async () => {
      const { client } = blog();
      const email = uniqueEmail();
      const prefix = "p".repeat(72);
      assert.equal((await register(blog(), email, prefix)).status, 201);
      assertError(await register(blog(), uniqueEmail(), `${prefix}X`), 400, "Invalid request");
      for (const path of ["/auth/login", "/auth/token", "/auth/session"]) {
        assertError(await client.post(path, { email, password: `${prefix}Y` }), 401, "Invalid credentials");
      }
      assert.equal((await client.post("/auth/login", { email, password: prefix })).status, 200);
    });

    test("A5 ill-formed UTF-16: half a character is refused, since UTF-8 would make it equal to others", async () => {
      const { client, users } = blog();
      const email = uniqueEmail();
      assert.equal((await register(blog(), email, "password\ufffd")).status, 201);
      for (const half of ["\\ud800", "\\udfff", "\\ud800x"]) {
        for (const path of ["/auth/login", "/auth/register", "/auth/session", "/auth/token"]) {
          const body = `{"email":"${email}","password":"password${half}","name":"Ada"}`;
          assertError(await client.call("POST", path, { body }), 400, "Invalid request");
        }
        const { token } = await users.one();
        const body = `{"title":"${half}","content":"c"}`;
        assertError(await client.call("POST", "/posts", { body, token }), 400, "Invalid request");
      }
    });

    test("A6 Spring CVE-2024-38827: addresses are folded in ASCII only, so that the Kelvin sign is no k", async () => {
      const { client, users } = blog();
      const plain = await users.add(uniqueEmail().replace("ada", "k"));
      for (const other of ["\u212a", "\u017f"]) {
        const email = plain.email.replace("k", other);
        assertError(await client.post("/auth/login", { email, password: plain.password }), 401, "Invalid credentials");
        const { status, body } = await register(blog(), email, "another horse");
        assert.deepEqual([status, body.user.email], [201, email]);
        assert.notEqual(body.user.id, plain.user.id);
      }
      const folded = { email: plain.email.toUpperCase(), password: plain.password };
      assert.equal((await client.post("/auth/login", folded)).status, 200);
      assertError(await register(blog(), plain.email.toUpperCase(), "correct horse"), 409, "Email already registered");
    });
  },
  { config: { loginLimit: false } },
);

/** The shortest of a few failed logins; the fine measure, with its statistics, is a part of the long run. */
function timeLogin({ client }: Blog, email: () => string, password: string): Promise<number> {
  return leastMillisecondsOf(async () => {
    assertError(await client.post("/auth/login", { email: email(), password }), 401, "Invalid credentials");
  }, 3);
}

function compareTimes(password: string): Promise<void> {
  const [embedded] = storages;
  assert.ok(embedded);
  const compare = async (blog: Blog) => {
    const { email } = await blog.users.one();
    const ratio = (await timeLogin(blog, () => email, password)) / (await timeLogin(blog, uniqueEmail, password));
    assert.ok(ratio > 0.4 && ratio < 2.5, `${ratio}: an answer without a hash would be ten times as fast`);
  };
  return withFreshBlog(embedded, compare, { config: { loginLimit: false } });
}

test("A2 Spring CVE-2025-22234: a password that is too long takes as long with an unknown address as with a known one", () =>
  compareTimes("x".repeat(73)));

test("A3 Django CVE-2025-13473, better-auth af2950e5: a wrong password takes as long with an unknown address as with a known one", () =>
  compareTimes("wrong horse"));
