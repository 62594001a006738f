import assert from "node:assert/strict";
import { test } from "node:test";
import { PostsService } from "../../src/posts/posts.service.ts";
import type { Blog } from "../support/blog.ts";
import { decode } from "../support/html.ts";
import { addPost, describePages, testPages, visit, withPages } from "../support/pages.ts";

/** The unescaped contents of all elements of this name. */
function allIn(xml: string, element: string): string[] {
  const found = xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"));
  return [...found].map(([, text = ""]) =>
    text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
}

testPages("a feed without posts is valid, and its id stays the same after a restart", async (blog) => {
  const visitor = await visit(blog);
  const { status, headers, text } = await visitor.get("/feed.xml");
  assert.deepEqual([status, headers.get("content-type")], [200, "application/atom+xml; charset=utf-8"]);
  assert.match(text, /^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">\n/);
  assert.match(text, /<id>urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}<\/id>/);
  assert.deepEqual(allIn(text, "updated"), ["1970-01-01T00:00:00.000Z"]);
  const feedOf = async (other: Blog) => (await (await visit(other)).get("/feed.xml")).text;
  assert.equal(await withPages(blog.urls, feedOf), text);
  const foreign = await withPages(blog.urls, feedOf, { config: { jwtSecret: "the secret of another blog, 32 bytes" } });
  assert.notEqual(allIn(foreign, "id")[0], allIn(text, "id")[0]);
});

testPages("the feed has the ten newest published posts, newest first, and nothing private", async (blog) => {
  const author = await blog.users.one();
  const times = Array.from({ length: 12 }, (_, index) => `2026-03-${String(index + 10)}T08:00:00.000Z`);
  for (const [index, time] of times.entries()) {
    await addPost(blog, author, { title: `Post ${index}`, content: "- a\n- b", created_at: time, updated_at: time });
  }
  await addPost(blog, author, { title: "A draft", published: false });
  const { text } = await (await visit(blog)).get("/feed.xml");
  assert.deepEqual(
    allIn(text, "title").slice(1),
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `Post ${index}`),
  );
  assert.deepEqual(allIn(text, "published"), times.slice(2).reverse());
  assert.equal(allIn(text, "updated")[0], times.at(-1), "the feed is as new as its newest entry");
  assert.deepEqual(new Set(allIn(text, "name")), new Set([author.user.name]));
  assert.deepEqual(new Set(allIn(text, "summary")), new Set(["a · b"]));
  assert.ok(!text.includes(author.email) && !text.includes("A draft"));
});

describePages("The feed", (blog) => {
  test("the feed uses no address from the Host header: links are paths and ids are URNs", async () => {
    const post = await addPost(blog(), await blog().users.one());
    for (const headers of [{}, { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" }]) {
      const visitor = await visit(blog());
      const { text } = await visitor.get("/feed.xml", headers);
      const links = [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = ""]) => href);
      assert.ok(links.includes(`/posts/${post.id}`));
      assert.ok(
        links.every((href) => href.startsWith("/") && !href.startsWith("//")),
        links.join(),
      );
      assert.ok(allIn(text, "id").includes(`urn:uuid:${post.id}`));
      assert.ok(allIn(text, "id").every((id) => id.startsWith("urn:uuid:")));
      assert.ok(!text.includes(new URL(visitor.url).host) && !text.includes("evil.example"));
    }
  });

  test("a client with the current feed gets 304 without a body, until the feed changes", async () => {
    const post = await addPost(blog(), await blog().users.one());
    const visitor = await visit(blog());
    const first = await visitor.get("/feed.xml");
    const etag = first.headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]{43}"$/);
    assert.equal(first.headers.get("cache-control"), "no-cache");
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, text, headers } = await visitor.get("/feed.xml", { "if-none-match": tags });
      assert.deepEqual([status, text, headers.get("etag")], [304, "", etag], tags);
    }
    assert.equal((await visitor.get("/feed.xml", { "if-none-match": '"other"' })).status, 200);
    await blog().app.get(PostsService).patch(post.id, { title: "Another title" });
    const changed = await visitor.get("/feed.xml", { "if-none-match": etag });
    assert.equal(changed.status, 200);
    assert.ok(allIn(changed.text, "title").includes("Another title"));
  });

  test("the feed escapes markup and replaces characters that XML forbids", async () => {
    const title = `<b>"Fish" & 'chips'</b> ]]> &amp; \u0001\u000b\u001b\ufffe\uffff\u{1f980}\u202e`;
    const post = await addPost(blog(), await blog().users.one(), { title, content: `${title}.` });
    const { text } = await (await visit(blog())).get("/feed.xml");
    const shown = `<b>"Fish" & 'chips'</b> ]]> &amp; ${"\ufffd".repeat(5)}\u{1f980}`;
    assert.ok(allIn(text, "title").includes(shown), text);
    const [entry = ""] = text.match(new RegExp(`<entry>\\s<id>urn:uuid:${post.id}[\\s\\S]+?</entry>`)) ?? [];
    assert.match(entry, /<summary>&#60;b&#62;/);
    assert.doesNotMatch(text, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  });

  test("every page links the feed and has a description: a post its first sentences, others the blog's", async () => {
    const author = await blog().users.one();
    const post = await addPost(blog(), author, { content: 'Some "quoted" *words* <b>. And more.\u202e' });
    const empty = await addPost(blog(), author, { content: "" });
    const visitor = await visit(blog());
    const ours = "Notes by people who build things, and take them apart again.";
    for (const [path, expected] of [
      ["/", ours],
      ["/login", ours],
      ["/nothing", ours],
      [`/posts/${empty.id}`, ours],
      [`/posts/${post.id}`, 'Some "quoted" words <b>. And more.'],
    ] as const) {
      const { text } = await visitor.get(path);
      assert.match(
        text,
        /<link rel="alternate" type="application\/atom\+xml" title="Workbench" href="\/feed\.xml">/,
        path,
      );
      const descriptions = [...text.matchAll(/<meta name="description" content="([^"]*)">/g)];
      assert.deepEqual(
        descriptions.map(([, content = ""]) => decode(content)),
        [expected],
        path,
      );
    }
  });
});
