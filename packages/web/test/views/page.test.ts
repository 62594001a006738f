import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "@tenon/core";
import { Page, type PageParts } from "../../src/views/page.ts";
import { testOnSite } from "../support/session-site.ts";

const issues = [
  { path: "title", rule: "required", message: "is required" },
  { path: "title", rule: "min", message: "is too short" },
  { path: "author.email", rule: "email", message: "is not an address" },
];

function pageWith(parts: Partial<PageParts>): Page {
  return new Page({
    ctx: {} as Context, // no test here reads it
    status: 200,
    shared: {},
    state: { flash: [] },
    session: undefined,
    assetUrl: undefined,
    ...parts,
  });
}

test("old() returns the typed value, and the fallback only when no form failed", () => {
  const fresh = pageWith({});
  assert.deepEqual(
    [fresh.old("title"), fresh.old("title", "stored"), fresh.old("title", null), fresh.old("count", 0)],
    ["", "stored", "", "0"],
  );
  const state = { flash: [], form: { issues: [], old: { title: "", tags: ["a", "b"] } } };
  const failed = pageWith({ state });
  assert.equal(failed.old("title", "stored"), "", "an emptied field stays empty");
  assert.equal(failed.old("published", "on"), "", "a box that was not ticked was not sent");
  assert.equal(failed.old("tags"), "a");
  assert.deepEqual([failed.oldAll("tags"), failed.oldAll("title"), failed.oldAll("none")], [["a", "b"], [""], []]);
  assert.deepEqual([failed.old("constructor"), failed.oldAll("__proto__")], ["", []]);
});

test("error() returns the first message about a field, errors all messages", () => {
  const page = pageWith({ state: { flash: [], form: { old: {}, issues } } });
  assert.deepEqual(
    [page.error("title"), page.error("author.email"), page.error("content")],
    ["is required", "is not an address", ""],
  );
  assert.deepEqual([page.errors, page.hasErrors, pageWith({}).hasErrors], [issues, true, false]);
});

test("csrfToken() without a session and asset() without a folder throw an error with the fix", () => {
  const page = pageWith({});
  assert.throws(() => page.csrfField(), /need a session: list WebSessions in the middlewares of web\(\)/);
  assert.throws(() => page.csrfToken(), /need a session/);
  assert.throws(() => page.asset("blog.css"), /page\.asset\("blog\.css"\) needs a folder: web\(\{ assets/);
});

test("csrfField() is a hidden field with the session's token", () => {
  const session = { csrfToken: () => 'a"b' } as unknown as NonNullable<PageParts["session"]>; // no other method is called
  assert.equal(pageWith({ session }).csrfField(), '<input type="hidden" name="_csrf" value="a&quot;b">');
});

testOnSite(
  "a page has the path, query and status of its request, and the shared data",
  async ({ call }) => {
    const response = await call("GET", "/%61?q=x%20y&q=z");
    assert.deepEqual(await response.json(), { path: "/%61", q: "x y", none: "", status: 203, shared: { user: "Ada" } });
  },
  {
    routes: [{ method: "GET", path: "/a", handler: (ctx) => ctx.status(203).json({}) }],
    platform: {
      share: async () => ({ user: "Ada" }),
      views: {
        has: () => true,
        render: (_, { page }) =>
          JSON.stringify({
            path: page.path,
            q: page.query("q"),
            none: page.query("none"),
            status: page.status,
            shared: page.shared,
          }),
      },
    },
  },
);
