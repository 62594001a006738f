import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Context, defineModule, dto, inject, Log, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type ViewEngine, type WebOptions, web } from "@tenon/web";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { rejection } from "../../core/test/support/start-error.ts";
import { moduleOf, testOnBothTransports } from "../../core/test/support/transports.ts";
import { fromDeveloper, inDevelopment } from "../../devtools/test/support/developer.ts";
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

const wrong: readonly object[] = [
  { views: engine, asets: "x" },
  { views: engine, assets: { folder: assets, imutable: /x/ } },
  { views: engine, assets: join(views, "none") },
  { views: engine, redirects: "example.org" },
  { views: engine, redirects: ["https://example.org"] },
  { views: engine, redirects: ["Example.org"] },
  { views: engine, redirects: ["example.org/x"] },
  { views: engine, limits: { body: 0 } },
];
for (const options of wrong) {
  const { views: _, ...shown } = options as WebOptions;
  test(`a wrong option stops the start: ${JSON.stringify(shown)}`, async () => {
    // as a caller without types would pass it
    const { problems } = await rejection(createTestApp(moduleOf([]), web(options as WebOptions)));
    assert.deepEqual(
      problems.map(({ code }) => code),
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
