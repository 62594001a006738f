import assert from "node:assert/strict";
import { type Context, type Route, route, StartError } from "@tenon/core";
import { testOnBothTransports } from "../support/transports.ts";

const allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const;

testOnBothTransports(
  "every method of the specification can be routed",
  allMethods.map(
    (method): Route => ({
      method,
      path: "/a",
      handler: (ctx) => {
        ctx.response().setHeader("x-route-method", method);
        return method;
      },
    }),
  ),
  async (call) => {
    for (const method of allMethods) {
      const response = await call(method, "/a");
      assert.equal(response.status, 200, method);
      assert.equal(response.headers.get("x-route-method"), method);
    }
  },
);

testOnBothTransports(
  "a request without a matching route is 404 Not Found, also when only the method differs",
  [
    { method: "GET", path: "/a", handler: () => 1 },
    { method: "POST", path: "/b/:x", handler: () => 1 },
  ],
  async (call) => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/b/1"],
      ["POST", "/a"],
      ["OPTIONS", "/a"],
      ["PROPFIND", "/a"],
      ["GET", "/a/"],
      ["GET", "/A"],
    ] as const) {
      const response = await call(method, path);
      assert.equal(response.status, 404, `${method} ${path}`);
      assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
      assert.deepEqual(await response.json(), { error: "Not Found" });
    }
  },
);

const nul: { handlers: number } = { handlers: 0 };
const seeNul = (ctx: Context) => {
  nul.handlers++;
  return [ctx.path, ctx.request().params(), ctx.request().queries()];
};
testOnBothTransports(
  "U+0000 in a path or a query is 400 before routing, and is in the access log",
  [
    { method: "GET", path: "/exact", handler: seeNul },
    { method: "POST", path: "/exact", handler: seeNul },
    { path: "/group", children: [{ method: "GET", path: "/:id", handler: seeNul }] },
    { method: "GET", path: "/files/*", handler: seeNul },
    { method: "HEAD", path: "/head/:id", handler: seeNul },
  ],
  async (call, app, log) => {
    const targets = [
      ...["/exact%00", "/%00", "/%00exact", "/group/%00", "/group/a%00b", "/gr%00oup/1", "/nowhere/%00"],
      ...["/files/%00", "/files/a/b%00.txt", "/files/%2500%00", "/head/%00", "/%00?a=%00"],
      ...["/exact?%00", "/exact?a=%00", "/exact?%00=1", "/exact?a=1&b=x%00y", "/exact?a%00b", "/nowhere?a=%00"],
      ...["/group/1?a=%2500%00", "/files/a?x=%00", "/head/1?x=%00", "/exact?a=%zz%00"],
    ];
    for (const target of targets) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const response = await call(method, target);
        assert.equal(response.status, 400, `${method} ${target}`);
        assert.equal(await response.text(), method === "HEAD" ? "" : '{"error":"Bad Request"}', `${method} ${target}`);
      }
    }
    assert.equal(nul.handlers, 0);
    const lines = log.all.filter(({ msg }) => msg === "request");
    assert.deepEqual([lines.length, lines.every(({ status }) => status === 400)], [targets.length * 3, true]);
    for (const raw of ["/exact?a=\0b", "/group/\0b"]) {
      assert.equal((await app.fetch(new Request(`http://localhost${raw}`))).status, 400, "a URL encodes a raw one");
    }
  },
);

testOnBothTransports(
  "%2500 in a path or a query is the text %00, not U+0000",
  [
    { method: "GET", path: "/files/:name", handler: (ctx) => [ctx.param("name"), ctx.request().queries()] },
    { method: "GET", path: "/rest/*", handler: (ctx) => ctx.param("*") },
  ],
  async (call) => {
    const response = await call("GET", "/files/a%2500?b%2500=%2500&c=%01+0%30");
    assert.deepEqual(await response.json(), ["a%00", { "b%00": "%00", c: "\u0001 00" }]);
    assert.equal(await (await call("GET", "/rest/a/%2500")).json(), "a/%00");
  },
);

testOnBothTransports(
  "a wildcard's remainder is read as `*`, and segment by segment",
  [
    route.get("/files/:bucket/*", (ctx: Context<"/files/:bucket/*">) => [
      ctx.param("bucket"),
      ctx.param("*"),
      ctx.rest(),
    ]),
    { method: "GET", path: "/plain", handler: (ctx: Context) => ctx.rest() },
  ],
  async (call) => {
    const values = async (path: string) => (await call("GET", path)).json();
    assert.deepEqual(await values("/files/b/x/y%2Fz"), ["b", "x/y/z", ["x", "y/z"]]);
    assert.deepEqual(await values("/files/b/"), ["b", "", [""]]);
    assert.deepEqual(await values("/plain"), []);
    assert.equal((await call("GET", "/files/b")).status, 404);
  },
);

testOnBothTransports(
  "HEAD runs the GET route and sends no body",
  [{ method: "GET", path: "/a/:x", handler: (ctx) => ({ x: ctx.param("x") }) }],
  async (call) => {
    const response = await call("HEAD", "/a/1");
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(response.headers.get("content-length"), String('{"x":"1"}'.length));
    assert.equal(await response.text(), "");
    assert.equal((await call("HEAD", "/b")).status, 404);
  },
);

const texts = ["/a b", "/100%", "/5%25de", "/café au lait"];
testOnBothTransports(
  "a static path with a space or a % is declared decoded and matches every encoding",
  [
    ...texts.map((path): Route => ({ method: "GET", path, handler: (ctx: Context) => ctx.route?.path })),
    { path: "/in a group", children: [{ method: "GET", path: "/100%/:id/x y", handler: (ctx) => ctx.param("id") }] },
    { method: "GET", path: "/all files/*", handler: (ctx) => ctx.param("*") },
  ],
  async (call, app) => {
    const matches: Record<string, string> = {
      "/a%20b": "/a b",
      "/%61%20b": "/a b",
      "/100%25": "/100%",
      "/%3100%25": "/100%",
      "/5%25de": "/5%25de",
      "/caf%C3%A9%20au%20lait": "/café au lait",
      "/in%20a%20group/100%25/7/x%20y": "7",
      "/all%20files/50%25/b%20c": "50%/b c",
    };
    for (const [path, route] of Object.entries(matches)) {
      for (let round = 0; round < 2; round++) {
        const response = await call("GET", path);
        assert.deepEqual([response.status, await response.json()], [200, route], path);
        assert.equal((await call("HEAD", path)).status, 200, path);
      }
    }
    for (const path of ["/a+b", "/ab", "/100", "/100%2525", "/5%2525de", "/a%2520b"]) {
      assert.equal((await call("GET", path)).status, 404, path);
    }
    for (const path of ["/100%", "/5%de"]) assert.equal((await call("GET", path)).status, 400, path);
    assert.deepEqual(
      app.routes.list().map(({ path }) => path),
      [...texts, "/in a group/100%/:id/x y", "/all files/*"],
    );
    app.routes.remove("GET", "/100%25");
    assert.equal((await call("GET", "/100%25")).status, 404, "the two spellings are one route");
    assert.throws(() => app.routes.add({ method: "GET", path: "/5%25de", handler: () => 1 }), StartError);
  },
);
