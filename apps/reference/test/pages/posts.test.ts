import assert from "node:assert/strict";
import { test } from "node:test";
import { addPost, describePages, testPages, visit } from "../support/pages.ts";

const minute = 60_000;

/** The titles of a list, in its order. */
function titlesIn(html: string): string[] {
  return [...html.matchAll(/<h2 dir="auto"><a class="name" href="[^"]+">([^<]*)</g)].map(([, title = ""]) => title);
}

function linkIn(html: string, rel: "prev" | "next"): string | undefined {
  return new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1]?.replaceAll("&amp;", "&");
}

testPages("a blog without posts says so and shows how to start", async (blog) => {
  const { status, text } = await (await visit(blog)).get("/");
  assert.equal(status, 200);
  assert.match(text, /Nothing on the bench yet/);
  assert.match(text, /href="\/register"/);
  const { text: own } = await (await visit(blog, await blog.users.one())).get("/");
  assert.match(own, /class="button" href="\/posts\/new"/);
});

testPages("the list has pages of ten, newest first, and its links lead forth and back", async (blog) => {
  const author = await blog.users.one();
  const start = blog.clock.now();
  for (let index = 0; index < 25; index++) {
    const time = new Date(start - index * minute).toISOString();
    await addPost(blog, author, { title: `Post ${index}`, created_at: time, updated_at: time });
  }
  const visitor = await visit(blog);
  const pages: string[][] = [];
  const paths: string[] = [];
  for (let path: string | undefined = "/"; path !== undefined && pages.length < 5; ) {
    const { text } = await visitor.get(path);
    pages.push(titlesIn(text));
    paths.push(path);
    path = linkIn(text, "next");
  }
  assert.deepEqual(
    pages.flat(),
    Array.from({ length: 25 }, (_, index) => `Post ${index}`),
  );
  assert.deepEqual(
    pages.map((titles) => titles.length),
    [10, 10, 5],
  );
  const { text: last } = await visitor.get(paths.at(-1) ?? "");
  const { text: middle } = await visitor.get(linkIn(last, "prev") ?? "");
  assert.deepEqual(titlesIn(middle), pages[1]);
  assert.deepEqual(titlesIn((await visitor.get(linkIn(middle, "next") ?? "")).text), pages[2]);
  const top = await visitor.get(linkIn(middle, "prev") ?? "");
  assert.deepEqual([top.status, top.location], [303, "/"], "the first page has one address");
  assert.equal(linkIn((await visitor.get("/")).text, "prev"), undefined);
});

testPages(
  "a page whose posts were deleted links to the newest, and going back past the first page redirects to it",
  async (blog) => {
    await addPost(blog, await blog.users.one(), { title: "The only one" });
    const visitor = await visit(blog);
    const cursor = (side: string) => {
      const place = ["posts", "created_at", "desc", "id", side, "2000-01-01T00:00:00.000Z", "0"];
      return Buffer.from(JSON.stringify(place)).toString("base64url");
    };
    const { status, text } = await visitor.get(`/?after=${cursor("after")}`);
    assert.equal(status, 200);
    assert.match(text, /There is nothing older/);
    assert.match(text, /class="button" href="\/"/);
    const back = await visitor.get(`/?before=${cursor("before")}`);
    assert.deepEqual([back.status, back.location], [303, "/"]);
  },
);

describePages("The pages of posts", (blog) => {
  test("the list shows published posts and the names of their authors, and no drafts or e-mail addresses", async () => {
    const author = await blog().users.one();
    await addPost(blog(), author, { title: "For everybody" });
    await addPost(blog(), author, { title: "Not yet", published: false });
    const { text } = await (await visit(blog())).get("/");
    assert.ok(titlesIn(text).includes("For everybody"));
    assert.ok(!text.includes("Not yet"));
    assert.match(text, /by <bdi>Ada<\/bdi>/);
    assert.ok(!text.includes(author.email));
  });

  test("a post shows its Markdown as HTML below its title, and its time as text and datetime", async () => {
    const created_at = "2026-03-09T23:30:00.000Z";
    const updated_at = "2026-03-11T00:30:00.000Z";
    const content = "# One\n\nSome *words*, [a link](https://example.com/).";
    const post = await addPost(blog(), await blog().users.one(), { title: "A & B", content, created_at, updated_at });
    const { status, text } = await (await visit(blog())).get(`/posts/${post.id}`);
    assert.equal(status, 200);
    assert.match(text, /<title>A &amp; B · Workbench<\/title>/);
    assert.match(text, /<h1 dir="auto">A &amp; B<\/h1>/);
    assert.match(
      text,
      /<h2>One<\/h2>\s*<p>Some <em>words<\/em>, <a href="https:\/\/example\.com\/" rel="nofollow ugc noopener">/,
    );
    assert.match(text, /<time datetime="2026-03-09T23:30:00\.000Z">9 March 2026<\/time>/);
    assert.match(text, /changed <time datetime="2026-03-11T00:30:00\.000Z">11 March 2026<\/time>/);
    assert.equal(text.match(/<h1\b/g)?.length, 1);
    assert.ok(!/<script|<[^>]+\sstyle=|<[^>]+\son\w+=/i.test(text), "no script and nothing inline");
  });

  test("a changed post is shown at once, despite the cache", async () => {
    const author = await blog().users.one();
    const post = await addPost(blog(), author, { content: "before" });
    const visitor = await visit(blog(), author);
    await visitor.get(`/posts/${post.id}/edit`);
    assert.match((await (await visit(blog())).get(`/posts/${post.id}`)).text, /<p>before<\/p>/);
    await visitor.submit(`/posts/${post.id}?_method=PUT`, { title: "t", content: "after" });
    assert.match((await (await visit(blog())).get(`/posts/${post.id}`)).text, /<p>after<\/p>/);
  });

  test("the path above a post redirects to the list", async () => {
    const { status, location } = await (await visit(blog())).get("/posts");
    assert.deepEqual([status, location], [303, "/"]);
  });

  test("a draft is visible to its author and a 404 for others", async () => {
    const author = await blog().users.one();
    const { id } = await addPost(blog(), author, { title: "Not yet", published: false });
    const own = await (await visit(blog(), author)).get(`/posts/${id}`);
    assert.equal(own.status, 200);
    assert.match(own.text, /Only you can see it/);
    for (const visitor of [await visit(blog()), await visit(blog(), await blog().users.add())]) {
      const { status, text } = await visitor.get(`/posts/${id}`);
      assert.equal(status, 404);
      assert.match(text, /Nothing fits here/);
      assert.ok(!text.includes("Not yet"));
    }
  });

  test("only the author sees the buttons of a post", async () => {
    const author = await blog().users.one();
    const { id } = await addPost(blog(), author);
    assert.match((await (await visit(blog(), author)).get(`/posts/${id}`)).text, /Unpublish/);
    for (const visitor of [await visit(blog()), await visit(blog(), await blog().users.add())]) {
      assert.doesNotMatch((await visitor.get(`/posts/${id}`)).text, /Unpublish|\/edit"|\/delete"/);
    }
  });

  test("posts that only the API accepts can be shown: no title, no text, a text over the Markdown limit, a very long title", async () => {
    const author = await blog().users.one();
    const bare = await addPost(blog(), author, { title: " ", content: "" });
    const long = await addPost(blog(), author, { content: `*a*\n\n<b>${"x".repeat(100_000)}` });
    const endless = await addPost(blog(), author, { title: "🪵".repeat(100_000) });
    const visitor = await visit(blog());
    assert.ok((await visitor.get(`/posts/${endless.id}`)).text.includes(`<h1 dir="auto">${"🪵".repeat(300)}…</h1>`));
    const { text } = await visitor.get(`/posts/${bare.id}`);
    assert.match(text, /<h1 dir="auto">Untitled<\/h1>/);
    assert.match(text, /There is no text yet/);
    assert.match(
      (await visitor.get(`/posts/${long.id}`)).text,
      /<p class="as-typed">\*a\*<\/p>\n<p class="as-typed">&lt;b&gt;x/,
    );
  });

  test("Accept: application/json returns the same data, without e-mail addresses", async () => {
    const author = await blog().users.one();
    const post = await addPost(blog(), author, { title: "As data" });
    const { headers, text } = await (await visit(blog())).get(`/posts/${post.id}`, { accept: "application/json" });
    assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
    assert.deepEqual(JSON.parse(text), {
      post: {
        id: post.id,
        title: "As data",
        author: "Ada",
        published: true,
        created: JSON.parse(text).post.created,
        excerpt: "Some text.",
        html: "<p>Some text.</p>\n",
        minutes: 1,
      },
      isMine: false,
    });
    const miss = await (await visit(blog())).get("/posts/none", { accept: "application/json" });
    assert.deepEqual([miss.status, JSON.parse(miss.text)], [404, { error: "Post not found" }]);
  });

  test("unknown paths are 404, and U+0000 or an invalid cursor is 400", async () => {
    const visitor = await visit(blog());
    for (const path of ["/nothing", "/posts/none", "/assets/none.css", "/assets/..%2Fsrc%2Fconfig.ts"]) {
      const { status, text } = await visitor.get(path);
      assert.equal(status, 404, path);
      assert.match(text, /Nothing fits here/, path);
    }
    const place = Buffer.from('["x",1]').toString("base64url");
    for (const path of ["/?after=x", "/?before=x", "/?after=%00", `/?after=${place}`, "/posts/%00"]) {
      const { status, text } = await visitor.get(path);
      assert.equal(status, 400, path);
      assert.match(text, /That did not work/);
    }
  });

  test("a reading visitor gets no cookie, and pages that caches must revalidate", async () => {
    const { id } = await addPost(blog(), await blog().users.one());
    for (const path of ["/", `/posts/${id}`, "/nothing"]) {
      const { headers } = await (await visit(blog())).get(path);
      assert.deepEqual(headers.getSetCookie(), [], path);
      assert.equal(headers.get("cache-control"), "no-cache", path);
      assert.match(headers.get("vary") ?? "", /cookie/i, path);
    }
    const { headers } = await (await visit(blog(), await blog().users.one())).get(`/posts/${id}`);
    assert.equal(headers.get("cache-control"), "no-store");
  });

  test("pages forbid scripts and framing, and send no referrer to other sites", async () => {
    for (const path of ["/", "/nothing", "/login"]) {
      const { headers } = await (await visit(blog())).get(path);
      assert.equal(
        headers.get("content-security-policy"),
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        path,
      );
      assert.equal(headers.get("referrer-policy"), "same-origin");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
  });

  test("the stylesheet is cached for a year under a name that changes with its content", async () => {
    const visitor = await visit(blog());
    const path = /href="(\/assets\/blog\.[0-9a-z]+\.css)"/.exec((await visitor.get("/")).text)?.[1] ?? "";
    const { status, headers } = await visitor.get(path);
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/css/);
    assert.match(headers.get("cache-control") ?? "", /max-age=31536000.*immutable/);
    assert.deepEqual(headers.getSetCookie(), []);
  });
});
