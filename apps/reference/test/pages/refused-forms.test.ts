import assert from "node:assert/strict";
import { test } from "node:test";
import { provide } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { PostsService } from "../../src/posts/posts.service.ts";
import { hiddenIn, tokenIn, typedIn } from "../support/html.ts";
import { addPost, describePages, postsOf, storedPost, visit, withPages } from "../support/pages.ts";

/** The form that sends a rejected text again. */
function saveAgainIn(html: string) {
  const [, action = "", body = ""] =
    /<form class="writing" method="post" action="([^"]+)"([\s\S]+?)<\/form>/.exec(html) ?? [];
  return { action, buttons: body.match(/<button[^>]*>[^<]*<\/button>/g) ?? [] };
}

describePages("Forged and expired forms", (blog) => {
  const tokenOfAnother = async () => tokenIn((await (await visit(blog())).get("/login")).text);
  const forms = async () => {
    const author = await blog().users.one();
    const post = await addPost(blog(), author, { published: false });
    const fields = { title: "forged", content: "forged", published: "true" };
    return {
      author,
      post,
      fields,
      paths: ["/posts", ...["PUT", "PATCH", "DELETE"].map((m) => `/posts/${post.id}?_method=${m}`)],
    };
  };

  test("a form without a token, with another user's token or from another site gets 403 and changes nothing", async () => {
    const { author, post, fields, paths } = await forms();
    const visitor = await visit(blog(), author);
    await visitor.get("/my-posts");
    const stranger = await visit(blog());
    const foreign = tokenIn((await stranger.get("/login")).text);
    const count = (await postsOf(blog(), author)).length;
    for (const path of [...paths, "/logout"]) {
      for (const options of [
        { token: "" },
        { token: "x" },
        { token: foreign },
        { headers: { origin: "https://evil.example" } },
        { headers: { origin: "null" } },
        { headers: { "sec-fetch-site": "cross-site" } },
        { headers: { "sec-fetch-site": "same-site" } },
      ]) {
        assert.equal((await visitor.submit(path, fields, options)).status, 403, `${path} ${JSON.stringify(options)}`);
      }
    }
    assert.deepEqual(await storedPost(blog(), post.id), post);
    assert.equal((await postsOf(blog(), author)).length, count);
    assert.equal((await visitor.get("/my-posts")).status, 200, "still logged in");
  });

  test("a login or registration needs a token too, so that no user is logged in as another unknowingly", async () => {
    const { email } = await blog().users.one();
    const visitor = await visit(blog());
    for (const path of ["/login", "/register"]) {
      const reply = await visitor.submit(path, { email, password: "correct horse", name: "Eve" }, { token: "" });
      assert.equal(reply.status, 403, path);
      assert.match(reply.text, /expired/);
    }
    assert.equal(visitor.cookies.has("session_id"), false);
  });

  test("a method in the query counts for forms only: a link deletes nothing", async () => {
    const { author, post } = await forms();
    const visitor = await visit(blog(), author);
    assert.equal((await visitor.get(`/posts/${post.id}?_method=DELETE`)).status, 200);
    assert.deepEqual(await storedPost(blog(), post.id), post);
  });

  test("a post sent after a logout gets 401 with its text, to be saved after a login", async () => {
    const { author, post } = await forms();
    const visitor = await visit(blog(), author);
    await visitor.get("/posts/new");
    visitor.cookies.delete("session_id");
    const typed = { title: "Late & <b>", content: "The work of a night\n</textarea><script>" };
    for (const path of ["/posts", `/posts/${post.id}?_method=PUT`]) {
      const { status, text, headers } = await visitor.submit(path, typed, { multipart: true });
      assert.equal(status, 401);
      assert.match(text, /<h1 class="page-title">Your text was not saved<\/h1>/);
      assert.ok(text.includes('<a href="/login" target="_blank">'));
      assert.equal(saveAgainIn(text).action, path);
      assert.deepEqual(typedIn(text), typed);
      assert.equal(headers.get("cache-control"), "no-store");
    }
    assert.deepEqual(await storedPost(blog(), post.id), post);
  });

  test("a post with the token of an earlier login is rejected, and saved by a second click", async () => {
    const author = await blog().users.add();
    const visitor = await visit(blog(), author);
    const form = hiddenIn((await visitor.get("/posts/new")).text, "form");
    const typed = { title: "Late & <b>", content: "the work of a night\n</textarea><script>" };
    for (const token of ["x", await tokenOfAnother(), ""]) {
      const { status, text } = await visitor.submit("/posts", { ...typed, form }, { token, multipart: true });
      assert.equal(status, 403);
      assert.match(
        text,
        /<h1 class="page-title">Your text was not saved<\/h1>\n<p class="problem">This form has expired\.</,
      );
      assert.deepEqual(typedIn(text), typed);
      assert.deepEqual(saveAgainIn(text), {
        action: "/posts",
        buttons: ['<button class="button">Save again</button>'],
      });
      assert.equal(hiddenIn(text, "form"), form);
      assert.doesNotMatch(text, /reload|[Cc]opy it/, "it would be gone, or work for the author");
      assert.deepEqual(await postsOf(blog(), author), [], "nothing is saved without a token of this session");
    }
    const saved = await visitor.submit("/posts", { ...typed, form }, { multipart: true });
    assert.equal(saved.status, 303);
    assert.deepEqual(
      (await postsOf(blog(), author)).map(({ title, content, published }) => ({ title, content, published })),
      [{ ...typed, published: false }],
    );
  });

  test("an expired edit keeps its version and the choice to publish", async () => {
    const { author, post } = await forms();
    const visitor = await visit(blog(), author);
    const version = hiddenIn((await visitor.get(`/posts/${post.id}/edit`)).text, "version");
    const path = `/posts/${post.id}?_method=PUT`;
    const typed = { title: "t", content: "the work of a night" };
    const { status, text } = await visitor.submit(path, { ...typed, version, publish: "true" }, { token: "x" });
    assert.equal(status, 403);
    const publish = '<button class="button" name="publish" value="true">Save again</button>';
    assert.deepEqual(saveAgainIn(text), { action: path, buttons: [publish] });
    assert.equal(hiddenIn(text, "version"), version);
    assert.match(text, /It is published once it is saved/);
    assert.deepEqual(await storedPost(blog(), post.id), post);
    assert.equal((await visitor.submit(path, { ...typed, version, publish: "true" })).status, 303);
    const stored = await storedPost(blog(), post.id);
    assert.deepEqual([stored?.content, stored?.published], [typed.content, true]);
  });

  test("the save button is shown only if the browser confirms which site sent the text", async () => {
    const { author } = await forms();
    const visitor = await visit(blog(), author);
    await visitor.get("/posts/new");
    const typed = { title: "t", content: "the work of a night" };
    const silent = await visitor.submit("/posts", typed, { token: "x", headers: { "sec-fetch-site": "", origin: "" } });
    assert.equal(silent.status, 403);
    assert.equal(typedIn(silent.text).content, typed.content);
    assert.deepEqual(saveAgainIn(silent.text).buttons, []);
    assert.match(silent.text, /Copy it, then <a href="\/posts\/new">try again</);
    for (const headers of [
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "", origin: "https://evil.example" },
    ]) {
      const foreign = await visitor.submit("/posts", typed, { token: "x", headers });
      assert.equal(foreign.status, 403, JSON.stringify(headers));
      assert.deepEqual(saveAgainIn(foreign.text).buttons, [], JSON.stringify(headers));
    }
    for (const site of ["same-site", "cross-site", "none"]) {
      const foreign = await visitor.submit("/posts", typed, { token: "x", headers: { "sec-fetch-site": site } });
      assert.equal(foreign.status, 403, site);
      assert.ok(!foreign.text.includes(typed.content), `text that another site may have sent is not shown: ${site}`);
    }
    const foreign = await visitor.submit("/posts", typed, { headers: { "sec-fetch-site": "same-site" } });
    assert.equal(foreign.status, 403);
    assert.ok(!foreign.text.includes(typed.content), "text of another site is not shown");
  });

  test("an edit of a deleted post, or of another author's, gets 404 or 403 with its text", async () => {
    const { author, post } = await forms();
    const other = await addPost(blog(), await blog().users.add());
    const visitor = await visit(blog(), author);
    await visitor.get(`/posts/${post.id}/edit`);
    await blog().app.get(PostsService).delete(post.id);
    for (const [id, status] of [
      [post.id, 404],
      [other.id, 403],
    ] as const) {
      const reply = await visitor.submit(`/posts/${id}?_method=PUT`, { title: "t", content: "the work of a night" });
      assert.equal(reply.status, status);
      assert.equal(typedIn(reply.text).content, "the work of a night");
      assert.deepEqual(saveAgainIn(reply.text).buttons, [], "there is no own post to save it to");
    }
  });

  test("a post that the store fails to save gets 500 with its text, and the reason only in the log", async () => {
    const { author } = await forms();
    class FullPosts extends PostsService {
      override createOnce(): Promise<never> {
        return Promise.reject(new StoreError("FAILED", { cause: new Error("the disk is full") }));
      }
    }
    await withPages(
      blog().urls,
      async (full) => {
        const visitor = await visit(full, author);
        await visitor.get("/posts/new");
        const { status, text } = await visitor.submit("/posts", { title: "t", content: "the work of a night" });
        assert.equal(status, 500);
        assert.equal(typedIn(text).content, "the work of a night");
        assert.deepEqual(saveAgainIn(text), {
          action: "/posts",
          buttons: ['<button class="button">Save again</button>'],
        });
        assert.match(text, /<a href="\/my-posts" target="_blank">/);
        assert.doesNotMatch(text, /store failure|disk/);
        assert.match(text, /<h1 class="page-title">Your text may not have been saved<\/h1>/);
        assert.doesNotMatch(text, /was not saved/, "the store may have taken it before it failed");
        assert.deepEqual(full.log.messages("error"), ["POST /posts failed"]);
      },
      { override: [provide(PostsService, () => new FullPosts())] },
    );
  });
});
