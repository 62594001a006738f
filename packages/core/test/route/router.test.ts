import assert from "node:assert/strict";
import { test } from "node:test";
import type { Routable, Router } from "../../src/route/router.ts";
import { resolvePath, routerOf } from "../support/routers.ts";

/** All permutations: the order of declaration must not matter. */
function permutations(routes: readonly string[]): string[][] {
  if (routes.length <= 1) return [[...routes]];
  return routes.flatMap((route, index) => permutations(routes.toSpliced(index, 1)).map((rest) => [route, ...rest]));
}

function paramsOf(router: Router<Routable>, path: string): Record<string, string> {
  const match = router.resolve("GET", path);
  assert.ok(match !== undefined, `${path} is found`);
  return { ...match.toMap() };
}

/** A path, the route that serves it, and others that match it too. */
const precedence: readonly (readonly [path: string, winner: string, ...others: string[]])[] = [
  // exact paths, then patterns, then wildcards
  ["/a/b", "/a/b", "/a/:x"],
  ["/a/b", "/a/b", "/a/*"],
  ["/a/b", "/:x/b", "/a/*"],
  // among patterns, the number of static segments, then the left-most one
  ["/a/b/c", "/a/:y/c", "/:x/:y/c"],
  ["/a/b/c", "/:x/b/c", "/a/:y/:z"],
  ["/a/b/c", "/a/:y/:z", "/:x/b/:z", "/:x/:y/c"],
  ["/a/b/c/d", "/a/b/:z/:w", "/a/:y/c/:w"],
  // among wildcards the static prefix, then static segments, then the length, then the left-most one
  ["/a/b/c", "/a/b/*", "/*", "/a/*"],
  ["/a/b/c/d", "/a/*", "/:x/b/c/*"],
  ["/a/b/c/d", "/a/:x/c/*", "/a/:x/:y/*"],
  ["/a/b/c", "/a/:x/*", "/a/*"],
  ["/a/b/c/d", "/:x/b/:z/*", "/:x/:y/c/*"],
];
for (const [path, winner, ...others] of precedence) {
  test(`${winner} wins over ${others.join(" and ")}, in any order of declaration`, () => {
    for (const order of permutations([winner, ...others])) {
      const router = routerOf(...order.map((route) => `GET ${route}`));
      assert.equal(resolvePath(router, path), winner, `declared as ${order.join(" ")}`);
      assert.equal(resolvePath(router, path), winner, "the cached resolution is the same");
    }
  });
}

test("a wildcard takes the rest of the path, decoded per segment", () => {
  const router = routerOf("GET /files/*", "GET /:bucket/raw/*");
  assert.deepEqual(paramsOf(router, "/files/a/b%20c"), { "*": "a/b c" });
  const match = router.resolve("GET", "/files/a%2Fb/c");
  assert.ok(match !== undefined);
  assert.deepEqual(match.rest(), ["a/b", "c"]);
  assert.deepEqual(paramsOf(router, "/x/raw/y"), { bucket: "x", "*": "y" });
});

const found: readonly (readonly [routes: readonly string[], served: Readonly<Record<string, string>>])[] = [
  [["GET /a/:y/c", "GET /:x/b/:z", "GET /*"], { "/a/b/d": "/:x/b/:z", "/a/e/d": "/*" }],
  [["GET /files/*"], { "/files/": "/files/*", "/files": "404", "/filesystem/x": "404" }],
  [["GET /*"], { "/": "/*", "/a": "/*", "/a/": "/*", "//a": "/*", "/a//b": "/*" }],
  [["GET /users", "GET /"], { "/users": "/users", "/": "/", "/users/": "404", "/Users": "404", "//users": "404" }],
  [["GET /users/:id"], { "/users/1/": "404", "/users/": "404", "/users//": "404" }],
  [["GET /a", "GET /a/", "GET /b/:x/"], { "/a": "/a", "/a/": "/a/", "/b/1/": "/b/:x/", "/b/1": "404" }],
  [["GET /a/:x", "GET /a/:x/b"], { "/a/": "404", "/a//b": "404" }],
  [["GET /café"], { "/caf%C3%A9": "/café" }],
  [["GET /a/:x/bc", "GET /a/:x/:y"], { "/a/1/bc": "/a/:x/bc", "/a/1/%62c": "/a/:x/bc", "/a/1/b": "/a/:x/:y" }],
  [["GET /a/:x/bc", "GET /a/:x/:y"], { "/a/1/": "404", "/a%2F1/bc": "404" }],
];
for (const [routes, served] of found) {
  test(`of ${routes.join(", ")} the right one serves ${Object.keys(served).join(", ")}`, () => {
    const router = routerOf(...routes);
    for (const [path, route] of Object.entries(served)) assert.equal(resolvePath(router, path), route, path);
  });
}

test("an encoded slash stays inside its value and separates nothing", () => {
  const router = routerOf("GET /a/:x", "GET /a/b", "GET /a/b/c", "GET /:x/b/:z");
  assert.deepEqual(paramsOf(router, "/a/b%2Fc"), { x: "b/c" });
  assert.deepEqual(paramsOf(router, "/a/%2541"), { x: "%41" });
  assert.equal(resolvePath(router, "/a%2Fb"), "404");
  assert.equal(resolvePath(router, "/a%2Fb/c"), "404");
});

test("malformed paths are refused with 400, whether a route matches or not", () => {
  const paths = ["/%", "/a/%zz", "/a/%c3", "/%E0%A4%A", "/a/.", "/../a", "/%2e%2E/a", "/a/%2e", "/%00", "/a/x%00"];
  for (const router of [routerOf("GET /*"), routerOf("GET /:a/:b"), routerOf("POST /x")]) {
    for (const path of paths) assert.throws(() => router.resolve("GET", path), { status: 400 });
  }
});

test("a HEAD route wins over the GET route, which serves HEAD otherwise", () => {
  const router = routerOf("GET /a", "GET /a/:x", "HEAD /a", "GET /b/*");
  assert.equal(router.resolve("HEAD", "/a")?.route.method, "HEAD");
  assert.equal(router.resolve("HEAD", "/a/1")?.route.method, "GET");
  assert.equal(router.resolve("HEAD", "/b/c")?.route.method, "GET");
  assert.equal(router.resolve("HEAD", "/c"), undefined);
  assert.equal(router.resolve("GET", "/a")?.route.method, "GET");
});

test("a path with another method is not found, cached or not", () => {
  const router = routerOf("GET /a/:x", "POST /a/b", "PUT /a/*");
  for (let round = 0; round < 2; round++) {
    const served = ["POST", "GET", "PUT", "DELETE"].map((method) => resolvePath(router, "/a/b", method));
    assert.deepEqual(served, ["/a/b", "/a/:x", "/a/*", "404"]);
    assert.equal(resolvePath(router, "/a/c", "POST"), "404");
  }
});

test("the cache returns the same resolution, is bounded, and holds only hits with short targets", () => {
  const router = routerOf("GET /:x");
  const first = router.resolve("GET", "/a");
  assert.equal(router.resolve("GET", "/a"), first, "a hit is cached");
  const long = `/${"x".repeat(1024)}`;
  assert.notEqual(router.resolve("GET", long), router.resolve("GET", long), "1 KiB is the longest key");
  const kept = `/${"y".repeat(1023)}`;
  assert.equal(router.resolve("GET", kept), router.resolve("GET", kept));
  for (let index = 0; index < 60_000; index++) router.resolve("GET", `/fill${index}`); // of which one in eight is cached
  assert.notEqual(router.resolve("GET", "/a"), first, "10,000 others evict it");
});

test("a thousand patterns of one shape are distinguished by their static text", () => {
  const router = routerOf(...Array.from({ length: 1000 }, (_, index) => `GET /r${index}/:id/edit`));
  assert.equal(resolvePath(router, "/r0/x/edit"), "/r0/:id/edit");
  assert.equal(resolvePath(router, "/r999/x/edit"), "/r999/:id/edit");
  assert.equal(resolvePath(router, "/r1000/x/edit"), "404");
});

test("command words may be dots or contain U+0000, request segments may not", () => {
  const router = routerOf(" show/:id", " add/*", "GET /show/:id");
  assert.equal(router.resolve(undefined, "/show/..")?.param("id"), "..");
  assert.equal(router.resolve(undefined, "/add/./..")?.param("*"), "./..");
  assert.throws(() => router.resolve("GET", "/show/.."), { status: 400 });
  assert.equal(router.resolve("", "/show/1"), undefined, "a request without a method is not a command");
  assert.equal(router.resolve(undefined, "/show/a%00")?.param("id"), "a\0");
});

test("a path that is requested again is cached, also after 40,000 that were requested once", () => {
  const router = routerOf("GET /:x");
  for (let index = 0; index < 40_000; index++) router.resolve("GET", `/once${index}`);
  const again = () => Array.from({ length: 100 }, (_, index) => router.resolve("GET", `/again${index}`));
  for (let round = 0; round < 100; round++) again();
  assert.deepEqual(
    again().map((match) => match?.param("x")),
    Array.from({ length: 100 }, (_, index) => `again${index}`),
  );
  const [first, second] = [again(), again()];
  assert.ok(first.every((match, index) => match === second[index]));
});
