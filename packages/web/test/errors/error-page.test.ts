import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { BindError, type Context, errorFormat, HttpError, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type ViewEngine, type WebOptions, web } from "@tenon/web";
import { type Call, moduleOf, testOnBothTransports } from "../../../core/test/support/transports.ts";
import { fromDeveloper, inDevelopment } from "../../../devtools/test/support/developer.ts";
import { testOnSite } from "../support/session-site.ts";
import { type Files, temporaryViews } from "../support/views.ts";

const secret = "postgres://admin:hunter2@db/prod";
const get = (path: string, handler: (ctx: Context) => unknown) => ({ method: "GET" as const, path, handler });
const fail = (error: unknown) => () => {
  throw error;
};

const routes: Routes = [
  get("/boom", fail(new Error(secret))),
  get("/http", fail(new HttpError(403, "Not <yours>", { headers: { "x-reason": "owner" } }))),
  get("/http-500", fail(new HttpError(503, "Back soon", { headers: { "retry-after": "5" } }))),
  get("/bind", fail(new BindError([{ path: "title", rule: "required", message: secret }]))),
  get("/null", fail(null)),
  get("/returned", () => ({ error: "Taken", status: 409 })),
  get("/cookie", (ctx) => {
    ctx.setCookie("half", "done");
    throw new Error(secret);
  }),
];

const platform = (files: Files, options: Partial<WebOptions> = {}) => {
  const views = temporaryViews(files);
  return () => web({ views, development: false, ...options });
};

async function visit(call: Call, path: string) {
  const response = await call("GET", path, { headers: { accept: "text/html" } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

testOnBothTransports(
  "without error views an application shows plain pages, without the cause, and neither they nor the log hold the query",
  routes,
  async (call, _, log) => {
    const pages: readonly [path: string, status: number, heading: string][] = [
      ["/boom", 500, "Internal Server Error"],
      ["/null", 500, "Internal Server Error"],
      ["/http", 403, "Not &lt;yours&gt;"],
      ["/http-500", 503, "Back soon"],
      ["/bind", 400, "Invalid request"],
      ["/returned", 409, "Taken"],
      ["/lost", 404, "Not Found"],
      ["/%", 400, "Bad Request"],
    ];
    for (const [path, expected, heading] of pages) {
      const { status, headers, text } = await visit(call, `${path}?token=link-7&code=link-7`);
      assert.deepEqual([status, headers.get("content-type")], [expected, "text/html; charset=utf-8"], path);
      assert.match(text, new RegExp(`^<!doctype html>\n<html lang="en">[\\s\\S]*<h1>${heading}</h1>`), path);
      assert.ok(!text.includes(secret) && !text.includes(".ts"), path);
      assert.ok(!text.includes("link-7"), path);
    }
    assert.equal(log.all.filter(({ msg }) => msg === "request").length, pages.length);
    assert.ok(!JSON.stringify(log.all).includes("link-7"));
  },
  platform({}),
);

testOnBothTransports(
  "rejected input has the status of the error format, as a page and as JSON",
  routes,
  async (call) => {
    const { status, text } = await visit(call, "/bind");
    assert.equal(status, 422);
    assert.match(text, /<h1>Invalid request<\/h1>/);
    const json = await call("GET", "/bind", { headers: { accept: "application/json" } });
    assert.deepEqual([json.status, await json.json()], [422, { error: "Invalid request" }]);
  },
  platform({}, { errors: errorFormat("plain", { rejectedStatus: 422 }) }),
);

testOnBothTransports(
  "the headers of an HttpError are sent, and those that a handler set before are not",
  routes,
  async (call) => {
    assert.equal((await visit(call, "/http")).headers.get("x-reason"), "owner");
    assert.equal((await visit(call, "/http-500")).headers.get("retry-after"), "5");
    assert.deepEqual((await visit(call, "/cookie")).headers.getSetCookie(), []);
  },
  platform({}),
);

testOnBothTransports(
  "the view of the status comes first, then errors/error",
  routes,
  async (call) => {
    const text = async (path: string) => (await visit(call, path)).text;
    assert.equal(await text("/lost"), "lost: Not Found");
    assert.equal(await text("/http"), "error 403: Not &lt;yours&gt;, 403, Ada");
    assert.equal(await text("/returned"), "error 409: Taken, 409, Ada");
    assert.equal(await text("/boom"), "error 500: Internal Server Error, 500, Ada");
    assert.equal((await visit(call, "/boom")).status, 500);
  },
  platform(
    {
      "errors/404.eta": "lost: <%= data.message %>",
      "errors/error.eta": "error <%= data.status %>: <%= data.message %>, <%= page.status %>, <%= page.shared.user %>",
      "errors/development.eta": "never shown",
    },
    { share: () => ({ user: "Ada" }) },
  ),
);

testOnBothTransports(
  "an error view that throws gives the plain page, with the same status",
  routes,
  async (call, _, log) => {
    const { status, text } = await visit(call, "/lost");
    assert.equal(status, 404);
    assert.match(text, /<h1>Not Found<\/h1>/);
    assert.match(log.causes().join(), /404\.eta:1: missing is not defined/);
    assert.deepEqual(log.messages("error"), ["the view errors/404 failed"]);
  },
  platform({ "errors/404.eta": "<%= missing %>" }),
);

testOnBothTransports(
  "a share() that fails gives an error page, which is still rendered",
  [...routes, get("/page", () => ({}))],
  async (call, _, log) => {
    assert.deepEqual([(await visit(call, "/lost")).status, (await visit(call, "/lost")).text], [404, "lost []"]);
    assert.deepEqual([(await visit(call, "/page")).status, (await visit(call, "/page")).text], [500, "error []"]);
    assert.ok(log.messages("warn").includes("share() failed for an error page"));
  },
  platform(
    {
      "errors/404.eta": "lost [<%= page.shared.user %>]",
      "errors/error.eta": "error [<%= page.shared.user %>]",
      "test/handler.eta": "never",
    },
    { share: () => Promise.reject(new Error("no database")) },
  ),
);

test("an engine that always fails still gives an error page", async () => {
  const broken: ViewEngine = {
    has: () => {
      throw new Error("broken");
    },
    render: () => "",
  };
  for (const development of [true, false]) {
    const app = await createTestApp(
      moduleOf([...routes, get("/page", () => ({}))]),
      inDevelopment(web({ views: broken, development })),
      { log: { level: "silent" } },
    );
    for (const [path, status] of [["/lost", 404] as const, ["/page", 500] as const]) {
      const response = await app.request("GET", path, { headers: fromDeveloper });
      assert.deepEqual([response.status, response.headers.get("content-type")], [status, "text/html; charset=utf-8"]);
      assert.match(await response.text(), path === "/page" && development ? /<h1>broken<\/h1>/ : /<h1>[\w ]+<\/h1>/);
    }
    await app.stop();
  }
});

test("the plain page has a policy that allows its own style", async () => {
  const app = await createTestApp(moduleOf(routes), platform({})());
  const response = await app.request("GET", "/lost");
  const style = /<style>([\s\S]*)<\/style>/.exec(await response.text())?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.equal(
    response.headers.get("content-security-policy"),
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.equal(response.headers.get("x-content-type-options"), "nosniff", "the other headers of pages stay");
  await app.stop();
});

testOnSite(
  "an error page shows the messages, and is shown without them while the store is down",
  async ({ browser, store, log }) => {
    const visitor = browser();
    const { text } = await visitor.get("/form");
    const { token } = JSON.parse(text) as { token: string }; // as the site's engine writes it
    await visitor.request("POST", "/change?flash=Saved", { form: { _csrf: token } });
    assert.equal((await visitor.get("/lost")).text, "errors/404 Saved");
    assert.equal((await visitor.get("/lost")).text, "errors/404 ");

    await visitor.request("POST", "/change?flash=Again", { form: { _csrf: token } });
    store.failure = new Error("the store is down");
    const away = await visitor.get("/lost");
    assert.deepEqual([away.status, away.text], [404, "errors/404 "]);
    assert.ok(log.messages("warn").includes("the session could not be read: the page is shown without its messages"));
  },
  {
    platform: {
      views: {
        has: () => true,
        render: (name, { page }) =>
          name === "form"
            ? JSON.stringify({ token: page.csrfToken() })
            : `${name} ${page.flash.map(({ text }) => text).join()}`,
      },
    },
  },
);
