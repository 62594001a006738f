import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Context, defineModule, dto, inject, Log, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type ViewEngine, type WebOptions, web } from "@tenon/web";
import { fromDeveloper, inDevelopment } from "../../core/test/support/developer.ts";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { rejection } from "../../core/test/support/start-error.ts";
import { moduleOf, testOnBothTransports } from "../../core/test/support/transports.ts";
import { temporaryViews } from "./support/views.ts";

const views = temporaryViews({
  "test/index.eta": '<link rel="stylesheet" href="<%= page.asset("site.css") %>">',
  "test/echo.eta": "<%= data.method %> <%= data.title %>",
});
const assets = temporaryViews({ "site.css": "body { color: teal }", ".secret": "secret" });
const engine: ViewEngine = { has: () => true, render: (name) => name };

const Post = dto({ title: string("required") });
const index = () => ({});
const echo = async (ctx: Context) => ({ method: ctx.method, ...(await ctx.bind(Post)) });

const routes: Routes = [
  { method: "GET", path: "/", handler: index },
  ...(["POST", "PUT", "DELETE"] as const).map((method) => ({ method, path: "/echo/:id", handler: echo })),
  { path: "command", handler: index },
];

const platform = () => web({ views, assets, development: false });

testOnBothTransports(
  "the assets folder is served under the names that page.asset() returns",
  routes,
  async (call, app) => {
    const page = await (await call("GET", "/")).text();
    const url = /href="([^"]+)"/.exec(page)?.[1] ?? "";
    assert.match(url, /^\/assets\/site\.[0-9a-f]+\.css$/);
    const style = await call("GET", url);
    assert.deepEqual([style.status, await style.text()], [200, "body { color: teal }"]);
    assert.match(style.headers.get("cache-control") ?? "", /immutable/);
    assert.equal((await call("GET", "/assets/site.css")).status, 200);
    assert.equal((await call("GET", "/assets/.secret")).status, 404);
    const [route] = app.routes.list().filter(({ path }) => path === "/assets/*");
    assert.deepEqual(
      [route?.method, route?.handler, route?.owner, route?.module],
      ["GET", "assets", "web()", undefined],
    );
  },
  platform,
);

testOnBothTransports(
  "forms are bound, and may use the methods that HTML forms lack",
  routes,
  async (call) => {
    const send = async (path: string, body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) => {
      const response = await call("POST", path, { body, headers });
      return [response.status, await response.text()];
    };
    const form = () => new URLSearchParams({ title: "Hello" });
    assert.deepEqual(await send("/echo/1", form()), [200, "POST Hello"]);
    assert.deepEqual(await send("/echo/1?_method=PUT", form()), [200, "PUT Hello"]);
    assert.deepEqual(await send("/echo/1?_method=delete", form()), [200, "DELETE Hello"]);
    const files = new FormData();
    files.set("title", "Hello");
    files.set("file", new Blob(["x"]), "x.txt");
    assert.deepEqual(await send("/echo/1", files), [200, "POST Hello"]);
    const json = { "content-type": "application/json" };
    assert.deepEqual(await send("/echo/1?_method=PUT", '{"title":"Hello"}', json), [200, "POST Hello"]);
    assert.equal((await call("POST", "/echo/1")).status, 400, "no body, and no content type");
  },
  platform,
);

test("`immutable` names are kept, and the log names views that cannot be reached", async () => {
  const log = new LogLines();
  const folder = temporaryViews({ "index-DiwrgTda.js": "1" });
  const odd = temporaryViews({ "with space.eta": "" });
  const app = await createTestApp(
    moduleOf(routes),
    web({ views: odd, assets: { folder, immutable: /-[\w-]{8}\.js$/ }, development: false }),
    { log: log.options },
  );
  const script = await app.request("GET", "/assets/index-DiwrgTda.js");
  assert.match(script.headers.get("cache-control") ?? "", /immutable/);
  assert.match(log.messages("warn").join(), /^The file "with space\.eta" in .*views is not a view\./);
  await app.stop();
});

test("a route that conflicts with the assets is a start error that names both", async () => {
  const taken = moduleOf([{ method: "GET", path: "/assets/*", handler: index }]);
  const error = await rejection(createTestApp(taken, platform()));
  assert.equal(
    error.message,
    'GET /assets/* of web() is already declared by TestController (module "test"). Remove one of them or change its path.',
  );
});

const wrong: readonly [options: unknown, message: string][] = [
  [
    undefined,
    "web() was given undefined for its options. It takes { views, assets, middlewares, serializer, share, redirects, development, limits, trustedProxies, singleHeaders, engine, errors, openapi, docs }.",
  ],
  [
    {},
    "views of web() is undefined. It takes a folder, as a path or a file URL, or an object with has() and render().",
  ],
  [
    { views: "" },
    'views of web() is "". It takes a folder, as a path or a file URL, or an object with has() and render().',
  ],
  [
    { views: { render: () => "" } },
    "views of web() is an object. It takes a folder, as a path or a file URL, or an object with has() and render().",
  ],
  [
    { views: new URL("https://example.org/views") },
    "views of web() is an object (URL). It takes a folder, as a path or a file URL, or an object with has() and render().",
  ],
  [
    { views: engine, asets: "x" },
    "web() has no option asets (did you mean assets?). It takes views, assets, middlewares, serializer, share, redirects, development, limits, trustedProxies, singleHeaders, engine, errors, openapi, docs.",
  ],
  [
    { views: engine, assets: 1 },
    "assets of web() is 1. It takes a folder, as a path or a file URL, or { folder, immutable }.",
  ],
  [
    { views: engine, assets: { folder: 1 } },
    "assets.folder of web() is 1. It takes a folder, as a path or a file URL.",
  ],
  [{ views: engine, assets: null }, "assets of web() was given null for its options. It takes { folder, immutable }."],
  [
    { views: engine, assets: { folder: assets, imutable: /x/ } },
    "assets of web() has no option imutable (did you mean immutable?). It takes folder, immutable.",
  ],
  [
    { views: engine, assets: { folder: assets, immutable: /x/y } },
    "assets.immutable of web() is /x/y. It takes a pattern without the flags g and y.",
  ],
  [
    { views: engine, assets: { folder: assets, immutable: "x" } },
    'assets.immutable of web() is "x". It takes a pattern without the flags g and y.',
  ],
  [{ views: engine, middlewares: {} }, "middlewares of web() is an object. Write a list: [ … ]."],
  [{ views: engine, serializer: {} }, "serializer of web() is an object. It takes a function."],
  [{ views: engine, share: {} }, "share of web() is an object. It takes a function."],
  [{ views: engine, development: "no" }, 'development of web() is "no". It takes true or false.'],
  [{ views: engine, redirects: "example.org" }, 'redirects of web() is "example.org". Write a list: [ … ].'],
  [
    { views: engine, redirects: ["https://example.org"] },
    'redirects of web() has "https://example.org". It takes hosts, without a scheme or a path: "example.com".',
  ],
  [
    { views: engine, redirects: ["Example.org"] },
    'redirects of web() has "Example.org". It takes hosts, without a scheme or a path: "example.com".',
  ],
  [
    { views: engine, redirects: ["example.org/x"] },
    'redirects of web() has "example.org/x". It takes hosts, without a scheme or a path: "example.com".',
  ],
  [
    { views: engine, redirects: [1] },
    'redirects of web() has 1. It takes hosts, without a scheme or a path: "example.com".',
  ],
  [{ views: engine, limits: { body: 0 } }, `limits.body is 0. It takes a whole number from 1 to ${2 ** 31 - 1}.`],
  [{ views: engine, assets: join(views, "none") }, `The assets folder "${join(views, "none")}" is not a directory.`],
];

for (const [options, message] of wrong) {
  test(`a wrong option stops the start: ${message.slice(0, 70)}`, async () => {
    // as a caller without types would pass it
    const start = async () => createTestApp(moduleOf([]), web(options as WebOptions));
    const error = await rejection(start());
    assert.equal(error.message, message);
    assert.deepEqual(
      error.problems.map(({ code }) => code),
      ["BAD_OPTION"],
    );
  });
}

test("hosts with a port, IPv6 hosts and file URLs are valid options", async () => {
  const redirects = ["example.org", "example.org:8443", "[::1]:8080", "xn--bcher-kva.example"];
  const options = { views: pathToFileURL(views), assets: pathToFileURL(assets), redirects };
  await (await createTestApp(moduleOf([]), web(options))).stop();
});

test("NODE_ENV is the default of `development`", async () => {
  const before = process.env.NODE_ENV;
  const bare: ViewEngine = { has: () => false, render: () => "" };
  const texts: string[] = [];
  try {
    for (const value of ["production", "test"]) {
      process.env.NODE_ENV = value;
      const app = await createTestApp(moduleOf([]), inDevelopment(web({ views: bare })));
      texts.push(await (await app.request("GET", "/lost", { headers: fromDeveloper })).text());
      await app.stop();
    }
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  assert.ok(!texts[0]?.includes("This page is for development"));
  assert.ok(texts[1]?.includes("This page is for development"));
});

test("routes without a method are not served, and services are injected as on any platform", async () => {
  class Greeter {
    readonly log = inject(Log);
    routes(): Routes {
      return [
        { path: "greet", handler: this.index },
        { method: "GET", path: "/greet", handler: this.index },
      ];
    }
    index() {
      return {};
    }
  }
  const app = await createTestApp(defineModule({ name: "app", declarations: [Greeter] }), web({ views: engine }));
  assert.deepEqual(
    app.routes.list().map(({ method, path }) => [method, path]),
    [["GET", "/greet"]],
  );
  assert.equal(await (await app.request("GET", "/greet")).text(), "greeter/index");
  await app.stop();
});
