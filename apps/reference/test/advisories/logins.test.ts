import assert from "node:assert/strict";
import { test } from "node:test";
import { leastMillisecondsOf } from "../../../../packages/auth/test/support/processor-time.ts";
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
    test("a password of 73 bytes is refused instead of truncated to 72 (A1, CVE-2025-22228)", async () => {
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

    test("a password with a lone surrogate is refused, since UTF-8 would make it equal to others (A5)", async () => {
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

    test("e-mail addresses are folded in ASCII only, so that the Kelvin sign is not k (A6, CVE-2024-38827)", async () => {
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
  { config: { loginRateLimit: false } },
);

/** The shortest of a few failed logins; reliability part T1 measures the timing with statistics. */
function timeLogin({ client }: Blog, email: () => string, password: string): Promise<number> {
  return leastMillisecondsOf(async () => {
    assertError(await client.post("/auth/login", { email: email(), password }), 401, "Invalid credentials");
  }, 3);
}

function compareTimes(password: string): Promise<void> {
  const [embedded] = storages;
  assert.ok(embedded);
  const compare = async (blog: Blog) => {
    const email = uniqueEmail();
    assert.equal((await register(blog, email, "correct horse")).status, 201); // with the cost of this service
    const ratio = (await timeLogin(blog, () => email, password)) / (await timeLogin(blog, uniqueEmail, password));
    assert.ok(ratio > 0.4 && ratio < 2.5, `${ratio}: a response without a hash would be ten times as fast`);
  };
  return withFreshBlog(embedded, compare, { config: { loginRateLimit: false, bcryptCost: 10 } });
}

test("a password that is too long takes as long with an unknown address as with a known one (A2, CVE-2025-22234)", () =>
  compareTimes("x".repeat(73)));

test("a wrong password takes as long with an unknown address as with a known one (A3, CVE-2025-13473, better-auth af2950e5)", () =>
  compareTimes("wrong horse"));
