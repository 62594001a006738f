import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Route, route } from "@tenon/core";
import { rateLimit } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { Runs, withServer } from "../support/guard-runs.ts";
import { requestRaw } from "../support/raw-request.ts";
import { resolvePath, routerOf } from "../support/routers.ts";
import { moduleOf } from "../support/transports.ts";

test("an encoded letter in a guarded path runs guard and handler together, or neither (P1, @fastify/middie CVE-2026-22031, h3 6f6dc091)", () => {
  const runs = new Runs();
  return withServer([runs.group("/admin", runs.route("/:x"))], async (get) => {
    const { status, body } = await get("/%61dmin/x");
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body), { x: "x" });
    assert.deepEqual([runs.guard.length, runs.handler], [1, 1]);
  });
});

test("other spellings of a guarded path never run its handler without the guard (P2, @fastify/middie CVE-2026-2880, Nest CVE-2026-2293)", () => {
  const runs = new Runs();
  return withServer([runs.group("/admin", runs.route("/"))], async (get) => {
    for (const target of ["//admin", "/ADMIN", "/admin;x=1", "/admin/", "/admin//", "/admin%20"]) {
      assert.equal((await get(target)).status, 404, target);
    }
    assert.equal((await get("/admin%00")).status, 400);
    assert.deepEqual([runs.guard.length, runs.handler], [0, 0]);
  });
});

test("a trailing slash cannot skip a middleware (P3, Nest CVE-2026-54281)", () => {
  const runs = new Runs();
  return withServer([runs.group("/r", runs.route("/"), runs.route("/:id"))], async (get) => {
    for (const target of ["/r/", "/r/1/"]) assert.equal((await get(target)).status, 404, target);
    assert.equal(runs.handler, 0);
    for (const target of ["/r", "/r/1"]) assert.equal((await get(target)).status, 200, target);
    assert.deepEqual([runs.guard.length, runs.handler], [2, 2]);
  });
});

test("HEAD served by a GET route runs the identical middlewares (P4, Nest CVE-2026-33011)", () => {
  const runs = new Runs();
  const outer = runs.group("/a", runs.group("/b", { ...runs.route("/:id"), middlewares: [runs.guarding] }));
  return withServer([outer], async (get) => {
    await get("/a/b/1");
    assert.deepEqual([runs.guard.length, runs.handler], [3, 1]);
    const { status, body } = await get("/a/b/1", "HEAD");
    assert.deepEqual([status, body], [200, ""]);
    assert.deepEqual([runs.guard.length, runs.handler], [6, 2]);
  });
});

test("a group's middlewares run once at every depth (P5, @fastify/middie CVE-2026-6270, @fastify/express CVE-2026-33807)", () => {
  const runs = new Runs();
  const nest = (depth: number): Route =>
    runs.group("/admin", runs.route("/"), runs.route("/admin-x"), ...(depth > 1 ? [nest(depth - 1)] : []));
  return withServer([nest(4)], async (get) => {
    for (let depth = 1; depth <= 4; depth++) {
      for (const leaf of ["", "/admin-x"]) {
        runs.guard.length = 0;
        runs.handler = 0;
        assert.equal((await get(`${"/admin".repeat(depth)}${leaf}`)).status, 200);
        assert.deepEqual([runs.guard.length, runs.handler], [depth, 1], `depth ${depth}${leaf}`);
      }
    }
  });
});

test("a group's path and middlewares apply to every form of registration (P6, @fastify/express CVE-2026-6556)", () => {
  const runs = new Runs();
  return withServer([runs.group("/g", runs.route("/start"))], async (get, app) => {
    app.routes.add(runs.group("/g", runs.route("/one")));
    app.routes.add([runs.group("/g", runs.route("/two"), runs.group("/deep", runs.route("/three")))]);
    app.routes.replace("GET", "/g/one", runs.group("/g", runs.route("/four")));
    for (const path of ["/start", "/two", "/deep/three", "/four"]) {
      assert.equal((await get(path)).status, 404, `${path} without its group`);
      assert.equal((await get(`/g${path}`)).status, 200, `/g${path}`);
    }
    assert.deepEqual([runs.guard.length, runs.handler], [5, 4]);
  });
});

test("the middlewares of /admin do not run for /administrator (P7, h3 CVE-2026-33490)", () => {
  const runs = new Runs();
  const routes = [runs.group("/admin", runs.route("/"), runs.route("/*")), runs.route("/administrator")];
  return withServer(routes, async (get) => {
    assert.equal((await get("/administrator")).status, 200);
    assert.deepEqual([runs.guard.length, runs.handler], [0, 1]);
    assert.equal((await get("/admin")).status, 200);
    assert.deepEqual([runs.guard.length, runs.handler], [1, 2]);
  });
});

test("the remainder after a prefix comes from the matched path (P8, Hono CVE-2026-47676, h3 0295f903)", () => {
  const runs = new Runs();
  return withServer([runs.group("/files", runs.route("/*"))], async (get) => {
    for (const target of ["/files/a%2fb", "/%66iles/a%2fb", "/fi%6ces/%61%2fb"]) {
      assert.deepEqual(JSON.parse((await get(target)).body), { "*": "a/b" }, target);
    }
    assert.equal(runs.guard.length, 3);
  });
});

test("repeated slashes are another path, and count for the same client (P9, better-auth CVE-2025-71399)", async () => {
  const runs = new Runs();
  const limited = api({ middlewares: [rateLimit({ limit: 5, window: 60, clock: { now: () => 0 } })] });
  const app = await createTestApp(moduleOf([runs.group("/auth", runs.route("/login"))]), limited);
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    for (const target of ["//auth/login", "///auth/login", "/auth//login", "/auth/login//"]) {
      assert.equal((await requestRaw(port, target)).status, 404, target);
    }
    assert.equal(runs.handler, 0);
    assert.equal((await requestRaw(port, "/auth/login")).status, 200);
    for (const target of ["/auth/login", "//auth/login"]) assert.equal((await requestRaw(port, target)).status, 429);
    assert.equal(runs.handler, 1);
  } finally {
    await app.stop();
  }
});

test("%2F and %5C do not separate segments (P10, @fastify/static CVE-2026-6414, @hono/node-server CVE-2026-29087, Hono GHSA-q5qw-h33p-qvwr)", () => {
  const runs = new Runs();
  return withServer([runs.group("/admin", runs.route("/secret")), runs.route("/:one")], async (get) => {
    for (const [target, one] of [
      ["/admin%2Fsecret", "admin/secret"],
      ["/admin%2fsecret", "admin/secret"],
      ["/admin%5Csecret", "admin\\secret"],
    ] as const) {
      assert.deepEqual(JSON.parse((await get(target)).body), { one }, target);
    }
    assert.deepEqual([runs.guard.length, runs.handler], [0, 3]);
  });
});

test("paths with dot segments are refused, not resolved (P11, @fastify/static CVE-2026-15074, Hono GHSA-wmmm-f939-6g9c, h3 baef4b94)", () => {
  const runs = new Runs();
  return withServer([runs.route("/a/b"), runs.route("/files/*")], async (get) => {
    for (const target of [
      "/a/./b",
      "/a/c/../b",
      "/files/..",
      "/files/../a/b",
      "/files/%2e%2e/x",
      "/files/.%2E",
      "/files/%2e",
      "/..",
      "/.",
    ]) {
      assert.equal((await get(target)).status, 400, target);
    }
    assert.equal((await get("/a//b")).status, 404);
    assert.equal(runs.handler, 0);
    assert.deepEqual(JSON.parse((await get("/files/%252e%252e/.hidden/...")).body), { "*": "%2e%2e/.hidden/..." });
  });
});

test("a backslash stays a character (P12, Hono GHSA-wwfh-h76j-fc44, h3 9947d514)", () => {
  const runs = new Runs();
  return withServer([runs.route("/a/b"), runs.route("/:x")], async (get) => {
    assert.deepEqual(JSON.parse((await get("/a\\b")).body), { x: "a\\b" });
    assert.deepEqual(JSON.parse((await get("/a%5cb")).body), { x: "a\\b" });
    assert.deepEqual(JSON.parse((await get("/..%5c..%5cb")).body), { x: "..\\..\\b" });
  });
});

test("a decoded slash never becomes a segment of its own (P13, h3 cd03d416)", () => {
  const route: Route = { method: "GET", path: "/files/*", handler: (ctx) => ctx.rest() };
  return withServer([route], async (get) => {
    assert.deepEqual(JSON.parse((await get("/files/a/..%2f..%2fetc%2Fpasswd")).body), ["a", "../../etc/passwd"]);
  });
});

test("methods named after Object.prototype do not throw (P14, find-my-way CVE-2026-47219)", () => {
  const runs = new Runs();
  return withServer([runs.route("/a")], async (get, app) => {
    for (const method of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      assert.equal((await get("/a", method)).status, 400, "node's parser does not know it");
      const response = await app.fetch(new Request("http://localhost/a", { method }));
      assert.equal(response.status, 404, method);
    }
    assert.equal(runs.handler, 0);
    assert.equal((await get("/a")).status, 200);
  });
});

test("no pattern contains a regular expression (P15, find-my-way CVE-2024-45813, path-to-regexp CVE-2024-45296, CVE-2026-4923, CVE-2026-4926)", () => {
  for (const path of ["/:a-:b-", "/*/*", "/:a(\\d+)", "/:a?", "/:a+", "/:a*", "/{:a}?/{:b}?"]) {
    assert.throws(() => routerOf(`GET ${path}`), { name: "Error" }, path);
  }
  const router = routerOf("GET /:a/:b/:c", "GET /(a+)+", "GET /x/*");
  assert.equal(resolvePath(router, "/aaaa"), "404", "parentheses and plus are text");
  assert.equal(resolvePath(router, "/(a+)+"), "/(a+)+");
  for (const hostile of ["-".repeat(65_536), "a-".repeat(32_768), "/".repeat(65_536), "%2d".repeat(21_845)]) {
    assert.equal(resolvePath(router, `/${hostile}`), "404");
    assert.equal(resolvePath(router, `/x/${hostile}`), "/x/*");
  }
});

test("a parameter never comes from another route's pattern (P16, Hono CVE-2023-50710)", () => {
  const runs = new Runs();
  return withServer([runs.route("/:a/x"), runs.route("/:b/:c"), runs.route("/:d/*")], async (get) => {
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(JSON.parse((await get("/1/x")).body), { a: "1" });
      assert.deepEqual(JSON.parse((await get("/1/2")).body), { b: "1", c: "2" });
      assert.deepEqual(JSON.parse((await get("/1/2/3")).body), { d: "1", "*": "2/3" });
    }
  });
});

test("nothing after # is a query parameter (P17, Hono GHSA-crvj-82cr-hjcx)", () => {
  const route: Route = { method: "GET", path: "/a", handler: (ctx) => ctx.request().queries() };
  return withServer([route], async (get) => {
    assert.deepEqual(JSON.parse((await get("/a?a=1#x&b=2")).body), { a: "1" });
    assert.deepEqual(JSON.parse((await get("/a#?a=1")).body), {});
  });
});

test("an absolute-form target has the same path as an origin-form one, or is refused (P18, Hono CVE-2025-58362)", () => {
  const runs = new Runs();
  return withServer([runs.group("/admin", runs.route("/:x"))], async (get) => {
    assert.deepEqual(JSON.parse((await get("http://localhost/admin/1")).body), { x: "1" });
    assert.deepEqual(JSON.parse((await get("HTTP://other:80/admin/1")).body), { x: "1" });
    assert.equal(runs.guard.length, 2);
    for (const target of ["http://a@b/admin/1", "http:///admin/1", "http:/admin/1", "ftp://a/admin/1", "admin/1"]) {
      assert.equal((await get(target)).status, 400, target);
    }
    assert.deepEqual([runs.guard.length, runs.handler], [2, 2]);
  });
});

test("a malformed % is 400 and never reaches a handler (P19, h3 babc6ff6, @fastify/middie 01acaed)", () => {
  const runs = new Runs();
  return withServer([runs.group("/admin", runs.route("/:x"), runs.route("/a/*"))], async (get) => {
    for (const target of ["/admin/%", "/admin/%f", "/admin/%zz", "/%admin/x", "/admin/%c0%ae", "/admin/a/%ff"]) {
      assert.equal((await get(target)).status, 400, target);
    }
    assert.equal(runs.handler, 0);
  });
});

test("the paths of group and child join without a double slash (P21, Fastify 2f597a929)", () => {
  const runs = new Runs();
  const child = (path: string): Route => ({ path, children: [runs.route("/x")] });
  const routes = [
    { path: "/a/", children: [child("/v1")] },
    { path: "/b/", children: [child("/v1/")] },
    { path: "/", children: [child("/c")] },
  ];
  return withServer(routes, async (get, app) => {
    assert.deepEqual(
      app.routes.list().map(({ path }) => path),
      ["/a/v1/x", "/b/v1/x", "/c/x"],
    );
    for (const target of ["/a/v1/x", "/b/v1/x", "/c/x"]) assert.equal((await get(target)).status, 200, target);
    assert.equal((await get("/a//v1/x")).status, 404);
  });
});

test("a mount runs its guard for every path that its fetch handler sees, and sees the path that was matched (P8, Hono CVE-2026-47676, h3 0295f903)", () => {
  const runs = new Runs();
  const seen: string[] = [];
  const mount = route.mount("/app", (request) => {
    seen.push(new URL(request.url).pathname);
    return new Response();
  });
  return withServer([{ ...mount, middlewares: [runs.guarding] }, runs.route("/app/open")], async (get) => {
    const reached = [
      "/app",
      "/app/",
      "/%61pp/admin",
      "/app//admin",
      "/app/%5C..%2fadmin",
      "/app/%6fpen/x",
      "/app/open/",
    ];
    for (const target of reached) assert.equal((await get(target)).status, 200, target);
    assert.deepEqual([seen, runs.guard], [reached, reached]);
    for (const target of ["/app\\admin", "/APP", "//app", "/app;x", "/%61ppx"]) {
      assert.equal((await get(target)).status, 404, target);
    }
    for (const target of ["/app/x\\..\\..\\admin", "/app/.\\open", "/app/./x", "/app/%2e%2e/x", "/app/{x}"]) {
      assert.equal((await get(target)).status, 400, target);
    }
    assert.deepEqual([seen.length, runs.handler], [reached.length, 0]);
  });
});
