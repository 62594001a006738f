import assert from "node:assert/strict";
import { Passwords } from "@tenon/auth";
import { HttpError, provide } from "@tenon/core";
import { KeyValue, StoreError } from "@tenon/data";
import type { Blog } from "../support/blog.ts";
import { tokenIn, typedIn } from "../support/html.ts";
import { assertRest, noteFailures } from "../support/login-failures.ts";
import { testPages, visit, withPages } from "../support/pages.ts";
import { type TestUser, uniqueEmail } from "../support/users.ts";
import type { WebClient } from "../support/web-client.ts";

const password = "correct horse";

async function logIn(visitor: WebClient, email: string) {
  await visitor.get("/login");
  return visitor.submit("/login", { email, password });
}

testPages("after twenty failed logins a page with 429 and Retry-After says how long to wait", async (blog) => {
  const { email } = await blog.users.one();
  const start = Date.now();
  await noteFailures(
    blog,
    Array.from({ length: 20 }, () => email),
  );
  const reply = await logIn(await visit(blog), email);
  assert.equal(reply.status, 429);
  assertRest(reply, 900, start);
  assert.match(reply.text, /<h1>Too many attempts<\/h1>/);
  assert.ok(!reply.text.includes(password));
});

testPages("a full password queue shows a page with 503 and Retry-After", async ({ urls }) => {
  class BusyPasswords extends Passwords {
    override matches(): Promise<boolean> {
      return Promise.reject(new HttpError(503, "Service Unavailable", { headers: { "retry-after": "2" } }));
    }
  }
  await withPages(
    urls,
    async (blog) => {
      const reply = await logIn(await visit(blog), uniqueEmail());
      assert.deepEqual([reply.status, reply.headers.get("retry-after")], [503, "2"]);
      assert.match(reply.text, /<h1>All hands are busy<\/h1>/);
    },
    { override: [provide(Passwords, () => new BusyPasswords())] },
  );
});

testPages(
  "pages can be read while the session store is down, a post is shown again, and a logout reports the failure and clears the cookie",
  async (blog) => {
    const author = await blog.users.one();
    await withPages(
      blog.urls,
      async (broken) => {
        const visitor = await visit(broken);
        const [session, forms] = await loggedIn(blog, author);
        visitor.cookies.set("session_id", session);
        const list = await visitor.get("/");
        assert.equal(list.status, 200);
        assert.match(list.text, />Log in</);
        const mine = await visitor.get("/my-posts");
        assert.deepEqual([mine.status, mine.headers.get("retry-after")], [503, "1"]);
        visitor.cookies.set("tenon_session", forms.cookie);
        const typed = { title: "t", content: "the work of a night" };
        const unsaved = await visitor.submit("/posts", typed, { token: forms.token });
        assert.equal(unsaved.status, 503);
        assert.equal(typedIn(unsaved.text).content, "the work of a night");
        assert.match(unsaved.text, /Something broke on our side\.<[\s\S]+<button class="button">Save again</);
        const reply = await visitor.submit("/logout", {}, { token: forms.token });
        assert.equal(reply.status, 500);
        assert.match(reply.text, /Something broke on our side/);
        assert.ok(!visitor.cookies.has("session_id"));
      },
      { override: [provide(KeyValue, () => new LostStore())] },
    );
  },
);

/** The cookies of a user who logged in while the store was up. */
async function loggedIn(blog: Blog, author: TestUser) {
  const visitor = await visit(blog, author);
  const { text } = await visitor.get("/my-posts");
  const token = tokenIn(text);
  const cookie = visitor.cookies.get("tenon_session") ?? "";
  return [visitor.cookies.get("session_id") ?? "", { cookie, token }] as const;
}

class LostStore extends KeyValue {
  override get(): Promise<never> {
    return this.#fail();
  }
  override set(): Promise<never> {
    return this.#fail();
  }
  override delete(): Promise<never> {
    return this.#fail();
  }
  override take(): Promise<never> {
    return this.#fail();
  }
  override increment(): Promise<never> {
    return this.#fail();
  }
  override ttl(): Promise<never> {
    return this.#fail();
  }
  #fail(): Promise<never> {
    return Promise.reject(new StoreError("UNAVAILABLE"));
  }
}

testPages("an unexpected error shows a plain page with 500 and no details, and is logged", async (blog) => {
  blog.app.routes.add({
    method: "GET",
    path: "/broken",
    handler: () => {
      throw new Error("the secret of the house");
    },
  });
  const { status, text } = await (await visit(blog)).get("/broken");
  assert.equal(status, 500);
  assert.match(text, /Something broke on our side/);
  assert.match(text, /check whether it was saved before you try again/);
  assert.doesNotMatch(text, /nothing was changed|not saved/i, "it is unknown what the handler did");
  assert.doesNotMatch(text, /secret of the house|\.ts:/);
  assert.ok(blog.log.messages("error").some((message) => message.includes("/broken")));
});
