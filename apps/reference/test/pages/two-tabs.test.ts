import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenIn, tokenIn, typedIn } from "../support/html.ts";
import { addPost, describePages, postsOf, storedPost, visit } from "../support/pages.ts";

const password = "correct horse";

describePages("Two tabs of one browser", (blog) => {
  test("an edit of a post that another tab saved meanwhile gets 409 with its text, and the newer text stays", async () => {
    const author = await blog().users.one();
    const { id } = await addPost(blog(), author, { title: "t", content: "first" });
    const visitor = await visit(blog(), author);
    const version = hiddenIn((await visitor.get(`/posts/${id}/edit`)).text, "version");
    assert.notEqual(version, "");
    const save = (content: string) => visitor.submit(`/posts/${id}?_method=PUT`, { title: "t", content, version });
    const replies = await Promise.all(["left", "right"].map(save));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [303, 409]);
    const winner = (await storedPost(blog(), id))?.content;
    const lost = replies.find(({ status }) => status === 409);
    assert.match(lost?.text ?? "", /saved in another window[\s\S]+Copy it, then <a href="\/posts\/[^"]+\/edit">/);
    assert.equal(typedIn(lost?.text ?? "").content, winner === "left" ? "right" : "left");
    const data = { title: "t", content: "late", version };
    const refused = await visitor.send("PUT", `/posts/${id}`, data);
    assert.deepEqual([refused.status, Object.keys(JSON.parse(refused.text))], [409, ["error"]]);
    assert.equal((await visitor.submit(`/posts/${id}?_method=PUT`, { ...data, version: "\0" })).status, 409);
    assert.equal((await storedPost(blog(), id))?.content, winner);
  });

  test("an invalid form keeps the version of the loaded text", async () => {
    const author = await blog().users.one();
    const { id, updated_at } = await addPost(blog(), author, { content: "first" });
    const visitor = await visit(blog(), author);
    const version = hiddenIn((await visitor.get(`/posts/${id}/edit`)).text, "version");
    await visitor.submit(`/posts/${id}?_method=PUT`, { title: "t", content: "newer" });
    const { text } = await visitor.submit(`/posts/${id}?_method=PUT`, { title: "", content: "older", version });
    assert.equal(hiddenIn(text, "version"), updated_at);
  });

  test("a new-post form sent several times concurrently creates one post, and redirects to it each time", async () => {
    const author = await blog().users.add();
    const visitor = await visit(blog(), author);
    const form = hiddenIn((await visitor.get("/posts/new")).text, "form");
    assert.notEqual(form, "");
    const typed = { title: "Once", content: "only", form };
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        visitor.submit("/posts", { ...typed, ...(index === 4 ? { publish: "true" } : {}) }, { multipart: true }),
      ),
    );
    const posts = await postsOf(blog(), author);
    assert.deepEqual([posts.length, posts[0]?.published], [1, true]);
    assert.deepEqual(new Set(replies.map(({ location }) => location)), new Set([`/posts/${posts[0]?.id}`]));
    assert.match(posts[0]?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const flashes = (await visitor.get("/my-posts")).text.match(/Your draft is saved/g);
    assert.equal(flashes?.length, 1, "said once, too");
    await visitor.submit("/posts", { ...typed, content: "another text" });
    assert.equal((await postsOf(blog(), author)).length, 2, "no text is lost to an earlier one of the same form");
  });

  test("a new-post form sent again after its post was deleted gets 410 with its text, and creates nothing", async () => {
    const author = await blog().users.add();
    const visitor = await visit(blog(), author);
    const form = hiddenIn((await visitor.get("/posts/new")).text, "form");
    const typed = { title: "Gone", content: "for good" };
    const { location } = await visitor.submit("/posts", { ...typed, form });
    assert.equal((await visitor.submit(`${location}?_method=DELETE`, {})).location, "/my-posts");
    const again = await visitor.submit("/posts", { ...typed, form });
    assert.equal(again.status, 410);
    assert.match(again.text, /You have deleted this post[\s\S]+<a href="\/posts\/new">/);
    assert.deepEqual(typedIn(again.text), typed);
    assert.deepEqual(await postsOf(blog(), author), []);
    const fresh = hiddenIn((await visitor.get("/posts/new")).text, "form");
    assert.equal((await visitor.submit("/posts", { ...typed, form: fresh })).status, 303);
  });

  test("the same form from another user creates a separate post", async () => {
    const form = "11111111-1111-4111-8111-111111111111";
    const authors = [await blog().users.add(), await blog().users.add()];
    for (const author of authors) {
      const visitor = await visit(blog(), author);
      await visitor.get("/posts/new");
      const { status } = await visitor.submit("/posts", { title: "t", content: "c", form });
      assert.equal(status, 303);
      const posts = await postsOf(blog(), author);
      assert.equal(posts.length, 1);
      assert.notEqual(posts[0]?.id, form);
    }
  });

  test("logging in or out in an old tab, after another tab has done it, redirects as usual", async () => {
    const author = await blog().users.add();
    const stranger = await blog().users.add();
    const visitor = await visit(blog());
    const stale = tokenIn((await visitor.get("/login")).text);
    const { email } = author;
    assert.equal((await visitor.submit("/login", { email, password })).status, 303);
    for (const path of ["/login", "/register"]) {
      const again = await visitor.submit(path, { email: email.toUpperCase(), password }, { token: stale });
      assert.deepEqual([again.status, again.location], [303, "/my-posts"], path);
      const other = await visitor.submit(path, { email: stranger.email, password }, { token: stale });
      assert.equal(other.status, 403, "who is logged in is not who wants to be");
    }
    for (const headers of [{ "sec-fetch-site": "same-site" }, { "sec-fetch-site": "", origin: "" }]) {
      const reply = await visitor.submit("/login", { email, password }, { token: stale, headers });
      assert.equal(reply.status, 403, JSON.stringify(headers));
    }
    const leave = tokenIn((await visitor.get("/my-posts")).text);
    assert.equal((await visitor.submit("/logout", {}, { token: stale })).status, 403, "still logged in");
    assert.equal((await visitor.submit("/logout", {}, { token: leave })).location, "/");
    const out = await visitor.submit("/logout", {}, { token: leave });
    assert.deepEqual([out.status, out.location], [303, "/"]);
  });
});
