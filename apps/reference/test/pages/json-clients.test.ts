import assert from "node:assert/strict";
import { test } from "node:test";
import { UsersService } from "../../src/users/users.service.ts";
import { addPost, describePages, postsOf, storedPost, visit } from "../support/pages.ts";
import { uniqueEmail } from "../support/users.ts";
import type { WebReply } from "../support/web-client.ts";

const password = "correct horse";
const json = { accept: "application/json" };

/** An error as JSON: the status and only a message. */
function assertError({ status, text, headers }: WebReply, expected: number, message?: string): void {
  assert.equal(status, expected);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body), ["error"]);
  if (message !== undefined) assert.equal(body.error, message);
}

describePages("Clients that send and read JSON", (blog) => {
  const find = (email: string) => blog().app.get(UsersService).findByEmail(email);

  test("registering and logging in accept JSON like a form", async () => {
    const email = uniqueEmail();
    const registered = await (await visit(blog())).send("POST", "/register", { email, password, name: " Ada " });
    assert.deepEqual([registered.status, registered.location], [303, "/my-posts"]);
    assert.equal((await find(email))?.name, "Ada");
    const visitor = await visit(blog());
    const reply = await visitor.send("POST", "/login", { email, password, next: "/posts/new" });
    assert.deepEqual([reply.status, reply.location], [303, "/posts/new"]);
    assert.equal((await visitor.get("/my-posts")).status, 200);
  });

  test("invalid JSON input gets 400, 401 or 409, and nothing changes", async () => {
    const { email } = await blog().users.add();
    const visitor = await visit(blog());
    assertError(await visitor.send("POST", "/login", { email, password: "hunter2" }), 401);
    assertError(await visitor.send("POST", "/login", { email }), 400, "Invalid request");
    assertError(await visitor.send("POST", "/register", { email, password, name: "Eve" }), 409);
    const unknown = uniqueEmail();
    for (const name of ["", " \u200b", "x".repeat(81), 7]) {
      assertError(await visitor.send("POST", "/register", { email: unknown, password, name }), 400, "Invalid request");
    }
    assert.equal(await find(unknown), undefined);
    assert.equal(visitor.cookies.has("session_id"), false);
  });

  test("a form with Accept: application/json gets its errors as JSON", async () => {
    const { email } = await blog().users.add();
    const visitor = await visit(blog());
    await visitor.get("/login");
    assertError(await visitor.submit("/login", { email, password: "hunter2" }, { headers: json }), 401);
  });

  test("a body without a content type cannot log in, since any site could make a browser send it", async () => {
    const { email } = await blog().users.add();
    const body = new Blob([JSON.stringify({ email, password })]);
    const response = await fetch(`${blog().client.url}/login`, { method: "POST", body, redirect: "manual" });
    assert.deepEqual([response.status, response.headers.getSetCookie()], [415, []]);
  });

  test("a page of another origin can neither log in nor log out, without a cookie either", async () => {
    const { email } = await blog().users.add();
    const body = JSON.stringify({ email, password });
    for (const path of ["/login", "/logout"]) {
      const headers = { origin: "https://evil.example", "content-type": "application/json", ...json };
      const response = await fetch(blog().client.url + path, { method: "POST", body, headers, redirect: "manual" });
      assert.deepEqual([response.status, response.headers.getSetCookie()], [403, []], path);
    }
  });

  test("posts can be created and changed with JSON", async () => {
    const author = await blog().users.add();
    const visitor = await visit(blog(), author);
    await visitor.get("/posts/new");
    const created = await visitor.send("POST", "/posts", { title: "As data", content: "One", publish: true });
    assert.equal(created.status, 303);
    const [post] = await postsOf(blog(), author);
    assert.deepEqual([post?.title, post?.content, post?.published], ["As data", "One", true]);
    const changed = await visitor.send("PUT", `/posts/${post?.id}`, { title: "Changed", content: "Two" });
    assert.equal(changed.status, 303);
    assert.equal((await storedPost(blog(), post?.id ?? ""))?.title, "Changed");
  });

  test("a post that cannot be saved gets 401, 403, 404 or 422 without its text", async () => {
    const author = await blog().users.add();
    const post = await addPost(blog(), author);
    const foreign = await addPost(blog(), await blog().users.add());
    const visitor = await visit(blog(), author);
    await visitor.get("/posts/new");
    const text = { title: "t", content: "c" };
    assertError(await visitor.send("POST", "/posts", text, { "x-csrf-token": "x" }), 403);
    assertError(await visitor.submit("/posts", text, { token: "x", headers: json }), 403);
    assertError(await visitor.send("PUT", `/posts/${foreign.id}`, text), 403);
    assertError(await visitor.send("PUT", "/posts/none", text), 404, "Post not found");
    for (const [method, path] of [
      ["POST", "/posts"],
      ["PUT", `/posts/${post.id}`],
    ] as const) {
      assertError(await visitor.send(method, path, { title: " ", content: "c" }), 422, "Invalid request");
    }
    assertError(await visitor.submit("/posts", { title: "", content: "c" }, { headers: json }), 422);
    assertError(await visitor.send("POST", "/posts", { title: 7, content: "c" }), 400, "Invalid request");
    visitor.cookies.delete("session_id");
    assertError(await visitor.send("PUT", `/posts/${post.id}`, text), 401);
    assert.deepEqual(await postsOf(blog(), author), [post]);
  });

  test("my posts is 401 for a guest, and shows the user's name at the user's posts", async () => {
    const author = await blog().users.add();
    await addPost(blog(), author, { title: "Mine" });
    assertError(await (await visit(blog())).get("/my-posts", json), 401);
    const { text } = await (await visit(blog(), author)).get("/my-posts", json);
    assert.equal(JSON.parse(text).posts[0].author, "Ada");
    for (const accept of ["application/json;q=0.5, text/html", "text/html, application/json", "*/*"]) {
      assert.equal((await (await visit(blog())).get("/my-posts", { accept })).status, 303, accept);
    }
    for (const accept of ["application/json, */*", "application/json, text/html;q=0.5"]) {
      assertError(await (await visit(blog())).get("/my-posts", { accept }), 401);
    }
  });
});
