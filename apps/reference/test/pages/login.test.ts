import assert from "node:assert/strict";
import { test } from "node:test";
import { Sessions } from "@tenon/auth";
import { UsersService } from "../../src/users/users.service.ts";
import type { Blog } from "../support/blog.ts";
import { describePages, visit } from "../support/pages.ts";
import { uniqueEmail } from "../support/users.ts";
import type { WebClient } from "../support/web-client.ts";

const password = "correct horse";

async function logIn(visitor: WebClient, email: string, fields: Readonly<Record<string, string>> = {}) {
  await visitor.get("/login");
  return visitor.submit("/login", { email, password, ...fields });
}

/** No typed password may appear in a page or in the session store. */
function assertNoPassword(html: string, typed: string): void {
  assert.ok(!html.includes(typed));
  for (const [input] of html.matchAll(/<input[^>]+type="password"[^>]*>/g)) assert.match(input, / value=""/);
}

async function registered(blog: Blog, email: string) {
  return blog.app.get(UsersService).findByEmail(email);
}

describePages("The login pages", (blog) => {
  test("registering creates a user, logs in, and redirects to the user's posts", async () => {
    const visitor = await visit(blog());
    const email = uniqueEmail();
    await visitor.get("/register");
    const before = visitor.cookies.get("tenon_session");
    const reply = await visitor.submit("/register", { email, password, name: "Ada <Lovelace>" });
    assert.deepEqual([reply.status, reply.location], [303, "/my-posts"]);
    const session = reply.headers.getSetCookie().find((line) => line.startsWith("session_id="));
    assert.match(session ?? "", /^session_id=[0-9a-f-]{36}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/);
    assert.notEqual(visitor.cookies.get("tenon_session"), before, "the session of the forms has another id");
    const user = await registered(blog(), email);
    const stored = await blog()
      .app.get(Sessions)
      .find(visitor.cookies.get("session_id") ?? "");
    assert.equal(stored?.user_id, user?.id);
    const { status, text } = await visitor.follow(reply);
    assert.equal(status, 200);
    assert.match(text, /role="status">Welcome, Ada &lt;Lovelace&gt;\. Your account is ready\.</);
    assert.match(text, /You have not written anything yet/);
    assert.doesNotMatch((await visitor.get("/my-posts")).text, /role="status"/, "said once");
  });

  test("an invalid registration shows the form again with its input except the password", async () => {
    const visitor = await visit(blog());
    await visitor.get("/register?next=%2Fposts%2Fnew");
    const typed = { name: 'A "quoted" <name>', email: "not an address", password: "hunter2", next: "/posts/new" };
    const reply = await visitor.submit("/register", typed);
    assert.deepEqual([reply.status, reply.location], [303, "/register?next=%2Fposts%2Fnew"]);
    const { status, text } = await visitor.follow(reply);
    assert.equal(status, 200);
    assert.match(text, /<title>Problem: Register/);
    assert.match(text, /value="A &quot;quoted&quot; &lt;name&gt;"/);
    assert.match(text, /value="not an address"/);
    assert.match(text, /name="next" value="\/posts\/new"/);
    assertNoPassword(text, typed.password);
    assert.match(text, /<a href="#email">E-mail address must look like name@example\.com\.<\/a>/);
    assert.match(text, /<a href="#password">Password must have at least 8 characters\.<\/a>/);
    assert.match(text, /id="email"[^>]+aria-describedby="email-hint email-problem" aria-invalid="true"/);
    assert.match(text, /id="email-problem">E-mail address must look like name@example\.com\.</);
    assert.doesNotMatch(text, /id="name"[^>]+aria-invalid/);
    assert.doesNotMatch((await visitor.get("/register")).text, /aria-invalid|quoted/, "shown once");
  });

  test("a password that bcrypt would truncate is refused, and no user is created", async () => {
    const visitor = await visit(blog());
    const email = uniqueEmail();
    await visitor.get("/register");
    const reply = await visitor.submit("/register", { email, password: "é".repeat(40), name: "Ada" });
    assert.match((await visitor.follow(reply)).text, /Password must have at most 72 bytes\./);
    assert.equal(await registered(blog(), email), undefined);
  });

  test("an address that is taken is reported at its field", async () => {
    const { email } = await blog().users.one();
    const visitor = await visit(blog());
    await visitor.get("/register");
    const reply = await visitor.submit("/register", { email, password, name: "Eve" });
    assert.deepEqual([reply.status, reply.location], [303, "/register"]);
    const { text } = await visitor.follow(reply);
    assert.match(text, /id="email-problem">E-mail address is already registered\.</);
    assert.match(text, new RegExp(`value="${email}"`));
    assertNoPassword(text, password);
  });

  test("a wrong password and an unknown address get the same message, and the form keeps the address", async () => {
    const { email } = await blog().users.add();
    const attempts = [email, uniqueEmail()].map(async (address) => {
      const visitor = await visit(blog());
      const reply = await logIn(visitor, address, { password: "hunter2" });
      assert.deepEqual([reply.status, reply.location], [303, "/login"]);
      assert.equal(visitor.cookies.has("session_id"), false);
      const { text } = await visitor.follow(reply);
      assert.match(text, /role="alert" tabindex="-1" autofocus>/);
      assert.match(text, /<li>No account has this e-mail address and password\.<\/li>/);
      assert.ok(text.includes(`value="${address}"`));
      assertNoPassword(text, "hunter2");
      return text.replaceAll(address, "").replaceAll(/value="[\w-]{86}"/g, "");
    });
    const [known, unknown] = await Promise.all(attempts);
    assert.equal(known, unknown);
  });

  test("logging in redirects back to the page that required it, and only to pages of this site", async () => {
    const author = await blog().users.add();
    const visitor = await visit(blog());
    const asked = await visitor.get("/posts/new");
    assert.deepEqual([asked.status, asked.location], [303, "/login?next=%2Fposts%2Fnew"]);
    assert.match((await visitor.follow(asked)).text, /name="next" value="\/posts\/new"/);
    const reply = await visitor.submit("/login", { email: author.email, password, next: "/posts/new" });
    assert.deepEqual([reply.status, reply.location], [303, "/posts/new"]);
    assert.equal((await visitor.follow(reply)).status, 200);
    const again = await visitor.get("/login?next=%2Fmy-posts");
    assert.deepEqual([again.status, again.location], [303, "/my-posts"], "who is logged in is sent on");
    for (const next of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "javascript:alert(1)",
      " //evil.example",
      "/%0d%0aset-cookie:a=b\r\nx: y",
    ]) {
      const foreign = await visitor.get(`/login?next=${encodeURIComponent(next)}`);
      assert.deepEqual([foreign.status, foreign.location], [303, "/"], next);
    }
    const other = await visit(blog());
    const stolen = await logIn(other, author.email, { next: "//evil.example" });
    assert.deepEqual([stolen.status, stolen.location], [303, "/"]);
  });

  test("a login renews both sessions: ids planted or known before are invalid", async () => {
    const author = await blog().users.add();
    const planted = await blog().users.add();
    const visitor = await visit(blog(), planted);
    const before = visitor.cookies.get("session_id") ?? "";
    visitor.cookies.delete("session_id");
    await visitor.get("/login");
    const forms = visitor.cookies.get("tenon_session");
    visitor.cookies.set("session_id", before);
    const reply = await visitor.submit("/login", { email: author.email, password });
    assert.equal(reply.status, 303);
    assert.notEqual(visitor.cookies.get("session_id"), before);
    assert.notEqual(visitor.cookies.get("tenon_session"), forms);
    assert.equal(await blog().app.get(Sessions).find(before), undefined);
    const own = await blog()
      .app.get(Sessions)
      .find(visitor.cookies.get("session_id") ?? "");
    assert.equal(own?.user_id, author.user.id);
  });

  test("a client's own session id is not adopted", async () => {
    const visitor = await visit(blog());
    visitor.cookies.set("session_id", "11111111-1111-4111-8111-111111111111");
    visitor.cookies.set("tenon_session", "11111111-1111-4111-8111-111111111111");
    const { status, location } = await visitor.get("/my-posts");
    assert.deepEqual([status, location], [303, "/login?next=%2Fmy-posts"]);
  });

  test("logging out is a form that ends the session in the store and clears both cookies", async () => {
    const author = await blog().users.one();
    const visitor = await visit(blog(), author);
    await visitor.get("/my-posts");
    const [id, forms] = [visitor.cookies.get("session_id") ?? "", visitor.cookies.get("tenon_session")];
    assert.equal((await visitor.get("/logout")).status, 404, "a link cannot log anybody out");
    const reply = await visitor.submit("/logout", {});
    assert.deepEqual([reply.status, reply.location], [303, "/"]);
    assert.equal(visitor.cookies.has("session_id"), false);
    assert.notEqual(visitor.cookies.get("tenon_session"), forms);
    assert.equal(await blog().app.get(Sessions).find(id), undefined);
    assert.match((await visitor.follow(reply)).text, /role="status">You are logged out\.</);
    visitor.cookies.set("session_id", id);
    assert.equal((await visitor.get("/my-posts")).status, 303);
  });

  test("the session of a deleted user is invalid", async () => {
    const author = await blog().users.add();
    const visitor = await visit(blog(), author);
    assert.equal((await visitor.get("/my-posts")).status, 200);
    await blog().users.remove(author);
    assert.equal((await visitor.get("/my-posts")).location, "/login?next=%2Fmy-posts");
    assert.match((await visitor.get("/")).text, />Log in</);
  });

  test("a login expires after 24 hours", async () => {
    const visitor = await visit(blog(), await blog().users.one());
    blog().clock.advance("86399s");
    assert.equal((await visitor.get("/my-posts")).status, 200);
    blog().clock.advance("1s");
    assert.equal((await visitor.get("/my-posts")).status, 303);
  });

  test("pages with account forms are not cached", async () => {
    for (const path of ["/login", "/register"]) {
      assert.equal((await (await visit(blog())).get(path)).headers.get("cache-control"), "no-store", path);
    }
  });

  test("a user who registered on a page can log in over the API, and the other way round", async () => {
    const visitor = await visit(blog());
    const email = uniqueEmail();
    await visitor.get("/register");
    await visitor.submit("/register", { email, password, name: "Ada" });
    const user = await registered(blog(), email);
    assert.ok(user !== undefined);
    const token = await blog().app.get(Sessions).create(user.id);
    const other = await visit(blog());
    other.cookies.set("session_id", token);
    assert.equal((await other.get("/my-posts")).status, 200);
  });
});
