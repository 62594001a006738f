import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenIn, typedIn } from "../support/html.ts";
import { addPost, describePages, postsOf, storedPost, visit } from "../support/pages.ts";
import type { WebClient } from "../support/web-client.ts";

function idIn(location: string): string {
  return location.slice("/posts/".length);
}

describePages("The pages of an author", (blog) => {
  const opened = async (path: string): Promise<WebClient> => {
    const visitor = await visit(blog(), await blog().users.one());
    assert.equal((await visitor.get(path)).status, 200);
    return visitor;
  };

  test("a post can be drafted, published, unpublished, changed and deleted", async () => {
    const visitor = await opened("/posts/new");
    const created = await visitor.submit(
      "/posts",
      { title: " Hello ", content: "One\r\n\r\ntwo" },
      { multipart: true },
    );
    const id = idIn(created.location);
    assert.equal(created.status, 303);
    const stored = await storedPost(blog(), id);
    assert.deepEqual(
      [stored?.title, stored?.content, stored?.published],
      ["Hello", "One\n\ntwo", false],
      "browsers send CRLF",
    );
    assert.match(
      (await visitor.follow(created)).text,
      /role="status">Your draft is saved\.<[\s\S]+Only you can see it/,
    );

    const published = await visitor.submit(`/posts/${id}?_method=PATCH`, { published: "true" });
    assert.deepEqual([published.status, published.location], [303, `/posts/${id}`]);
    assert.match((await visitor.follow(published)).text, /role="status">Your post is published\.</);
    assert.equal((await (await visit(blog())).get(`/posts/${id}`)).status, 200);

    await visitor.submit(`/posts/${id}?_method=PATCH`, { published: "false" });
    assert.match((await visitor.get(`/posts/${id}`)).text, /role="status">Your post is a draft again\.</);
    assert.equal((await (await visit(blog())).get(`/posts/${id}`)).status, 404);

    const { text } = await visitor.get(`/posts/${id}/edit`);
    assert.deepEqual(typedIn(text), { title: "Hello", content: "One\n\ntwo" });
    const changed = await visitor.submit(`/posts/${id}?_method=PUT`, { title: "Hello again", content: "three" });
    assert.deepEqual([changed.status, changed.location], [303, `/posts/${id}`]);
    const now = await storedPost(blog(), id);
    assert.deepEqual([now?.title, now?.content, now?.published], ["Hello again", "three", false]);

    assert.match((await visitor.get(`/posts/${id}/delete`)).text, /<h1>Delete this post\?<\/h1>[\s\S]+Hello again/);
    assert.ok((await storedPost(blog(), id)) !== undefined, "asked, not done");
    const deleted = await visitor.submit(`/posts/${id}?_method=DELETE`, {});
    assert.deepEqual([deleted.status, deleted.location], [303, "/my-posts"]);
    assert.match((await visitor.follow(deleted)).text, /role="status">Your post is deleted\.</);
    assert.equal(await storedPost(blog(), id), undefined);
    assert.equal((await visitor.get(`/posts/${id}`)).status, 404);
  });

  test("a draft can be published later, and its author sees when", async () => {
    const visitor = await opened("/posts/new");
    const created = await visitor.submit("/posts", { title: "Later", content: "c" }, { multipart: true });
    const path = created.location;
    assert.match((await visitor.get(path)).text, /<summary>Publish later<\/summary>/);
    const refused = await visitor.submit(`${path}/publication?_method=PUT`, { at: "2020-01-01T09:00" });
    assert.match((await visitor.follow(refused)).text, /Choose a time in the future/);
    const planned = await visitor.submit(`${path}/publication?_method=PUT`, { at: "2999-01-31T09:30" });
    assert.deepEqual([planned.status, planned.location], [303, path]);
    assert.match((await visitor.follow(planned)).text, /will be published on <time[^>]+>31 January 2999 at 09:30 UTC/);
    const kept = await visitor.submit(`${path}/publication?_method=DELETE`, {});
    assert.match(
      (await visitor.follow(kept)).text,
      /role="status">Your post stays a draft\.<[\s\S]+Only you can see it/,
    );
    const stranger = await visit(blog(), await blog().users.add());
    await stranger.get("/my-posts");
    assert.equal((await stranger.submit(`${path}/publication?_method=PUT`, { at: "2999-01-31T09:30" })).status, 404);
  });

  test("a new post can be published at once, and an edited draft too; saving does not unpublish", async () => {
    const visitor = await opened("/posts/new");
    const created = await visitor.submit("/posts", { title: "t", content: "c", publish: "true" }, { multipart: true });
    const id = idIn(created.location);
    assert.equal((await storedPost(blog(), id))?.published, true);
    await visitor.submit(`/posts/${id}?_method=PUT`, { title: "t", content: "d" });
    assert.equal((await storedPost(blog(), id))?.published, true);
    const draft = await addPost(blog(), await blog().users.one(), { published: false });
    await visitor.submit(`/posts/${draft.id}?_method=PUT`, { title: "t", content: "d", publish: "true" });
    assert.equal((await storedPost(blog(), draft.id))?.published, true);
  });

  test("a post without a title or a text gets 422 with the form and its input", async () => {
    const visitor = await opened("/posts/new");
    const before = (await postsOf(blog(), await blog().users.one())).length;
    for (const [title, content, problem] of [
      ["", "A long evening's work </textarea><b>", "Title is required."],
      ["  ", "text", "Title is required."],
      ['A "title" <b>', "", "Text is required."],
      ["A title", " \n\t", "Text is required."],
      ["x".repeat(201), "text", "Title must have at most 200 characters."],
    ] as const) {
      const { status, text } = await visitor.submit("/posts", { title, content }, { multipart: true });
      assert.equal(status, 422);
      assert.match(text, /<title>Problem: Write/);
      assert.ok(text.includes(problem), problem);
      assert.deepEqual(typedIn(text), { title: title.trim(), content });
      const field = problem.startsWith("Title") ? "title" : "content";
      assert.match(text, new RegExp(`id="${field}"[^>]+aria-describedby="[^"]*${field}-problem" aria-invalid="true"`));
      assert.match(text, new RegExp(`<a href="#${field}">`));
    }
    assert.equal((await postsOf(blog(), await blog().users.one())).length, before);
  });

  test("a text that is far too long is shown again completely", async () => {
    const visitor = await opened("/posts/new");
    const content = "Words & <words>, ".repeat(100_000).trim();
    const { status, text } = await visitor.submit("/posts", { title: "t", content }, { multipart: true });
    assert.equal(status, 422);
    assert.ok(text.includes("Text must have at most 40000 characters."));
    assert.equal(typedIn(text).content, content);
  });

  test("the longest allowed text fits into the body limit in any script", async () => {
    const visitor = await opened("/posts/new");
    const content = "🪵".repeat(40_000);
    const { status, location } = await visitor.submit("/posts", { title: "t", content }, { multipart: true });
    assert.equal(status, 303);
    assert.equal((await storedPost(blog(), idIn(location)))?.content, content);
  });

  test("a body over the limit gets a page with 413", async () => {
    const visitor = await opened("/posts/new");
    const content = "x".repeat(4 * 1024 * 1024);
    const { status, text } = await visitor.submit("/posts", { title: "t", content }, { multipart: true });
    assert.equal(status, 413);
    assert.match(text, /That is more than fits/);
  });

  test("an invalid edit does not change the post and keeps the text in the form", async () => {
    const author = await blog().users.one();
    const { id } = await addPost(blog(), author, { title: "Stays", content: "stays" });
    const visitor = await opened(`/posts/${id}/edit`);
    const reply = await visitor.submit(
      `/posts/${id}?_method=PUT`,
      { title: "", content: "typed" },
      { multipart: true },
    );
    assert.equal(reply.status, 422);
    assert.match(reply.text, new RegExp(`action="/posts/${id}\\?_method=PUT"`));
    assert.deepEqual(typedIn(reply.text), { title: "", content: "typed" });
    assert.equal((await storedPost(blog(), id))?.title, "Stays");
  });

  test("a text that starts with an empty line keeps it", async () => {
    const { id } = await addPost(blog(), await blog().users.one(), { content: "\n\nafter" });
    const visitor = await visit(blog(), await blog().users.one());
    const { text } = await visitor.get(`/posts/${id}/edit`);
    assert.match(
      text,
      /<textarea id="content"[^>]*>\n\n\nafter<\/textarea>/,
      "one line break more than in the text: browsers drop the first",
    );
  });

  test("only the author can change a post: others get 403 for a published post and 404 for a draft", async () => {
    const author = await blog().users.one();
    const other = await visit(blog(), await blog().users.add());
    await other.get("/posts/new");
    for (const published of [true, false]) {
      const post = await addPost(blog(), author, { published });
      const status = published ? 403 : 404;
      for (const path of ["edit", "delete"]) {
        assert.equal((await other.get(`/posts/${post.id}/${path}`)).status, status);
      }
      const fields = { title: "mine", content: "mine", published: String(!published) };
      for (const method of ["PATCH", "DELETE"]) {
        const { status: actual } = await other.submit(`/posts/${post.id}?_method=${method}`, fields);
        assert.equal(actual, status, method);
      }
      const put = await other.submit(`/posts/${post.id}?_method=PUT`, fields);
      assert.equal(put.status, status);
      assert.deepEqual(await storedPost(blog(), post.id), post);
    }
  });

  test("every page of a missing post is 404", async () => {
    const visitor = await opened("/posts/new");
    for (const id of ["none", "11111111-1111-4111-8111-111111111111"]) {
      for (const path of [`/posts/${id}/edit`, `/posts/${id}/delete`])
        assert.equal((await visitor.get(path)).status, 404);
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const reply = await visitor.submit(`/posts/${id}?_method=${method}`, { published: "true" });
        assert.equal(reply.status, 404, `${method} ${id}`);
      }
    }
  });

  test("a guest is redirected to the login, and an expired form gets a message", async () => {
    const { id } = await addPost(blog(), await blog().users.one());
    for (const path of ["/my-posts", "/posts/new", `/posts/${id}/edit`, `/posts/${id}/delete`]) {
      const { status, location, headers } = await (await visit(blog())).get(path);
      assert.deepEqual([status, location], [303, `/login?next=${encodeURIComponent(path)}`]);
      assert.equal(headers.get("cache-control"), "no-store");
    }
    const visitor = await opened("/my-posts");
    visitor.cookies.delete("session_id");
    for (const method of ["PATCH", "DELETE"]) {
      const { status, text } = await visitor.submit(`/posts/${id}?_method=${method}`, { published: "false" });
      assert.equal(status, 401);
      assert.match(text, /<h1>You are logged out<\/h1>/);
    }
    assert.equal((await storedPost(blog(), id))?.published, true);
  });

  test("logging in redirects back to the same page of a list", async () => {
    const reply = await (await visit(blog())).get("/my-posts?after=a%26b&x=1");
    assert.equal(reply.location, `/login?next=${encodeURIComponent("/my-posts?after=a%26b&x=1")}`);
  });

  test("publishing from my posts redirects back there, and to no other site", async () => {
    const author = await blog().users.add();
    const { id } = await addPost(blog(), author, { published: false });
    const visitor = await visit(blog(), author);
    const back = hiddenIn((await visitor.get("/my-posts")).text, "back");
    assert.equal(back, "/my-posts");
    const reply = await visitor.submit(`/posts/${id}?_method=PATCH`, { published: "true", back });
    assert.deepEqual([reply.status, reply.location], [303, "/my-posts"]);
    const away = await visitor.submit(`/posts/${id}?_method=PATCH`, { published: "false", back: "//evil.example" });
    assert.equal(away.location, "/");
    assert.match((await visitor.get(`/posts/${id}/delete`)).text, /It is a draft: only you can see it\./);
  });

  test("pages of an author are not cached", async () => {
    const { id } = await addPost(blog(), await blog().users.one(), { published: false });
    const visitor = await visit(blog(), await blog().users.one());
    for (const path of ["/my-posts", "/posts/new", `/posts/${id}`, `/posts/${id}/edit`, `/posts/${id}/delete`, "/"]) {
      assert.equal((await visitor.get(path)).headers.get("cache-control"), "no-store", path);
    }
  });

  test("my posts lists the drafts and published posts of one author, with pages", async () => {
    const author = await blog().users.add();
    await addPost(blog(), await blog().users.one(), { title: "Another author's" });
    for (let index = 0; index < 12; index++) {
      const time = new Date(blog().clock.now() - index * 60_000).toISOString();
      await addPost(blog(), author, {
        title: `No ${index}`,
        published: index % 2 === 0,
        created_at: time,
        updated_at: time,
      });
    }
    const visitor = await visit(blog(), author);
    const { text } = await visitor.get("/my-posts");
    assert.equal(text.match(/class="state draft"/g)?.length, 5);
    assert.equal(text.match(/class="state published"/g)?.length, 5);
    assert.ok(!text.includes("Another author"));
    const older = /rel="next" href="(\/my-posts\?after=[^"]+)"/.exec(text)?.[1] ?? "";
    const { text: second } = await visitor.get(older);
    assert.match(second, /No 10[\s\S]+No 11/);
    const newer = /rel="prev" href="([^"]+)"/.exec(second)?.[1] ?? "";
    assert.equal((await visitor.get(newer)).location, "/my-posts");
  });
});
