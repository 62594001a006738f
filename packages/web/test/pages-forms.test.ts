import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, boolean, type Context, dto, integer, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { redirect, web } from "@tenon/web";
import { moduleOf } from "../../core/test/support/transports.ts";
import { origin, type Site, shown, testOnSite, withSite } from "./support/session-site.ts";

const Post = dto({
  title: string("required", "min=3"),
  body: string("required"),
  stars: integer(),
  published: boolean(),
});

const routes: Routes = (["POST", "PUT", "GET"] as const).flatMap((method) => [
  { method, path: "/posts", handler: save },
  { method, path: "/taken", handler: refuse },
]);

async function save(ctx: Context) {
  const post = await ctx.bind(Post);
  await ctx.get("session")?.flash("done", JSON.stringify(post));
  return redirect("/plain");
}

/** The application's own rule about a form. */
async function refuse(): Promise<never> {
  throw new BindError([{ path: "title", rule: "unique", message: "is taken" }]);
}

const typed = { title: "ab", body: "A long text", password: "hunter2" };

/** Sends a form from a page of this site. */
async function send(site: Site, headers: Record<string, string>, path = "/posts", method = "POST") {
  const { browser, token } = await site.visitor();
  const back = await browser.request(method, path, { form: { ...typed, _csrf: token }, headers });
  return { browser, token, back };
}

const fromForm = async ({ call }: Site) => {
  const probe = await call("GET", "/text"); // over a socket the host has a port
  return { referer: new URL("/form?step=2", probe.url || origin).href };
};

testOnSite(
  "a form that cannot be bound redirects to its page, with the typed values and the issues",
  async (site) => {
    const { browser, back } = await send(site, await fromForm(site));
    assert.deepEqual([back.status, back.headers.get("location"), back.text], [303, "/form?step=2", ""]);
    const page = shown(await browser.get("/form?step=2"));
    assert.deepEqual(page.old, { title: ["ab"], body: ["A long text"], password: [], tags: [] });
    assert.deepEqual(
      page.errors.map(({ path, message }) => [path, message]),
      [["title", "must have at least 3 characters"]],
    );
    const again = shown(await browser.get("/form"));
    assert.deepEqual([again.old.title, again.errors], [[], []], "they are shown once");
  },
  { routes },
);

testOnSite(
  "a valid form is bound: blank numbers and unticked boxes are absent",
  async ({ visitor }) => {
    const { browser, token } = await visitor();
    const form = { title: "abc", body: "x", stars: "", published: "true", _csrf: token };
    assert.equal((await browser.request("POST", "/posts", { form })).headers.get("location"), "/plain");
    const [flash] = shown(await browser.get("/plain")).flash;
    assert.deepEqual(JSON.parse(flash?.text ?? ""), { title: "abc", body: "x", published: true });
  },
  { routes },
);

testOnSite(
  "a BindError of the application redirects too, and so does a form with another method",
  async (site) => {
    const { browser, back } = await send(site, await fromForm(site), "/taken");
    assert.deepEqual([back.status, back.headers.get("location")], [303, "/form?step=2"]);
    assert.equal(shown(await browser.get("/form")).errors[0]?.message, "is taken");
    const overridden = await send(site, await fromForm(site), "/posts?_method=PUT");
    assert.equal(overridden.back.headers.get("location"), "/form?step=2");
  },
  { routes },
);

const referers: readonly [title: string, referer: string][] = [
  ["none at all", ""],
  ["another site", "https://evil.example/form"],
  ["another port", "http://localhost:1/form"],
  ["something that is not a URL", "/form"],
  ["this host as the user name", "https://localhost@evil.example/form"],
];

for (const [title, referer] of referers) {
  test(`a form with ${title} as its Referer is 400 and nothing is kept`, () =>
    withSite(
      "fetch",
      async (site) => {
        const { browser, back } = await send(site, referer === "" ? {} : { referer });
        assert.equal(back.status, 400);
        assert.match(back.text, /<h1>Invalid request<\/h1>/);
        assert.deepEqual(shown(await browser.get("/form")).errors, []);
      },
      { routes },
    ));
}

test("a Referer whose path would lead to another site redirects to the start page", () =>
  withSite(
    "fetch",
    async (site) => {
      const { back } = await send(site, { referer: "http://localhost//evil.example/" });
      assert.deepEqual([back.status, back.headers.get("location")], [303, "/"]);
    },
    { routes },
  ));

testOnSite(
  "a client that prefers or sends JSON gets 400 and no redirect",
  async (site) => {
    const headers = await fromForm(site);
    const { browser, token, back } = await send(site, { ...headers, accept: "application/json" });
    assert.deepEqual([back.status, back.text], [400, '{"error":"Invalid request"}']);
    const sent = { json: typed, headers: { ...headers, "x-csrf-token": token } };
    assert.equal((await browser.request("POST", "/posts", sent)).status, 400);
    assert.deepEqual(shown(await browser.get("/form")).errors, []);
  },
  { routes },
);

testOnSite(
  "a GET that cannot be bound is 400, whatever its content type: a redirect could loop",
  async (site) => {
    const { browser } = await site.visitor();
    const headers = { ...(await fromForm(site)), "content-type": "application/x-www-form-urlencoded" };
    for (const method of ["GET", "HEAD"]) {
      assert.equal((await browser.request(method, "/taken", { headers })).status, 400, method);
    }
    assert.deepEqual(shown(await browser.get("/form")).errors, []);
  },
  { routes },
);

testOnSite(
  "a malformed form is 400",
  async (site) => {
    const { browser, token } = await site.visitor();
    const headers = { ...(await fromForm(site)), "x-csrf-token": token };
    const broken = { ...headers, "content-type": "multipart/form-data; boundary=x" };
    assert.equal((await browser.request("POST", "/posts", { body: "nothing", headers: broken })).status, 400);
  },
  { routes },
);

testOnSite(
  "a form that cannot be bound is 400 and not 500 while the store is down",
  async (site) => {
    const { browser, token } = await site.visitor();
    await browser.request("POST", "/change?set=a&value=1", { form: { _csrf: token } });
    site.store.failure = new Error("the store is down");
    const headers = await fromForm(site);
    const sent = await browser.request("POST", "/posts", { form: { ...typed, _csrf: token }, headers });
    assert.equal(sent.status, 400);
    assert.match(sent.text, /<h1>Invalid request<\/h1>/);
  },
  { routes },
);

test("without sessions a form that cannot be bound is 400", async () => {
  const views = { has: () => false, render: () => "" };
  const app = await createTestApp(moduleOf(routes), web({ views, development: false }));
  const response = await app.request("POST", "/posts", { form: typed, headers: { referer: `${origin}/form` } });
  assert.equal(response.status, 400);
  await app.stop();
});
