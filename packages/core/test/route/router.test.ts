import assert from "node:assert/strict";
import { test } from "node:test";
import type { Routable, Router } from "../../src/route/router.ts";
import { MalformedTarget } from "../../src/support/path.ts";
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

test("a pattern that does not match yields to the next one", () => {
  const router = routerOf("GET /a/:y/c", "GET /:x/b/:z", "GET /*");
  assert.equal(resolvePath(router, "/a/b/d"), "/:x/b/:z");
  assert.equal(resolvePath(router, "/a/e/d"), "/*");
});

test("a wildcard takes the rest of the path, decoded per segment", () => {
  const router = routerOf("GET /files/*", "GET /:bucket/raw/*");
  assert.deepEqual(paramsOf(router, "/files/a/b%20c"), { "*": "a/b c" });
  const match = router.resolve("GET", "/files/a%2Fb/c");
  assert.ok(match !== undefined);
  assert.deepEqual(match.rest(), ["a/b", "c"]);
  assert.deepEqual(paramsOf(router, "/x/raw/y"), { bucket: "x", "*": "y" });
});

test("a wildcard matches an empty remainder but not the path without its slash", () => {
  const router = routerOf("GET /files/*");
  assert.deepEqual(paramsOf(router, "/files/"), { "*": "" });
  assert.equal(resolvePath(router, "/files"), "404");
  assert.equal(resolvePath(router, "/filesystem/x"), "404");
});

test("a wildcard at the root matches every path", () => {
  const router = routerOf("GET /*");
  for (const path of ["/", "/a", "/a/", "//a", "/a//b"]) assert.equal(resolvePath(router, path), "/*", path);
});

test("paths are strict about slashes and case", () => {
  const router = routerOf("GET /users", "GET /users/:id", "GET /");
  assert.equal(resolvePath(router, "/users"), "/users");
  assert.equal(resolvePath(router, "/"), "/");
  for (const path of ["/users/", "/Users", "/USERS", "//users", "/users//", "/users/1/", "//"]) {
    assert.equal(resolvePath(router, path), "404", path);
  }
});

test("a route may end with a slash, and is then another route", () => {
  const router = routerOf("GET /a", "GET /a/", "GET /b/:x/");
  assert.equal(resolvePath(router, "/a"), "/a");
  assert.equal(resolvePath(router, "/a/"), "/a/");
  assert.equal(resolvePath(router, "/b/1/"), "/b/:x/");
  assert.equal(resolvePath(router, "/b/1"), "404");
});

test("an empty segment never matches a parameter", () => {
  const router = routerOf("GET /a/:x", "GET /a/:x/b");
  assert.equal(resolvePath(router, "/a/"), "404");
  assert.equal(resolvePath(router, "/a//b"), "404");
});

test("each segment is decoded once, also where it must equal a static one", () => {
  const router = routerOf("GET /café", "GET /ü/:x");
  assert.equal(resolvePath(router, "/caf%C3%A9"), "/café");
  assert.deepEqual(paramsOf(router, "/%C3%BC/%2541"), { x: "%41" });
});

test("an encoded slash stays inside its value and separates nothing", () => {
  const router = routerOf("GET /a/:x", "GET /a/b", "GET /a/b/c", "GET /:x/b/:z");
  assert.deepEqual(paramsOf(router, "/a/b%2Fc"), { x: "b/c" });
  assert.equal(resolvePath(router, "/a%2Fb"), "404");
  assert.equal(resolvePath(router, "/a%2Fb/c"), "404");
});

for (const path of ["/%", "/a/%zz", "/a/%c3", "/%E0%A4%A", "/a/.", "/../a", "/%2e%2E/a", "/a/%2e", "/%00", "/a/x%00"]) {
  test(`${path} is refused with 400, whether a route matches or not`, () => {
    for (const router of [routerOf("GET /*"), routerOf("GET /:a/:b"), routerOf("POST /x")]) {
      assert.throws(
        () => router.resolve("GET", path),
        (error) => error instanceof MalformedTarget && error.status === 400,
      );
    }
  });
}

test("a HEAD route wins over the GET route, which serves HEAD otherwise", () => {
  const router = routerOf("GET /a", "GET /a/:x", "HEAD /a", "GET /b/*");
  assert.equal(router.resolve("HEAD", "/a")?.route.method, "HEAD");
  assert.equal(router.resolve("HEAD", "/a/1")?.route.method, "GET");
  assert.equal(router.resolve("HEAD", "/b/c")?.route.method, "GET");
  assert.equal(router.resolve("HEAD", "/c"), undefined);
  assert.equal(router.resolve("GET", "/a")?.route.method, "GET");
});

test("a path with another method is not found", () => {
  const router = routerOf("GET /a/:x", "POST /a/b", "PUT /a/*");
  assert.equal(resolvePath(router, "/a/b", "POST"), "/a/b");
  assert.equal(resolvePath(router, "/a/b", "GET"), "/a/:x");
  assert.equal(resolvePath(router, "/a/b", "PUT"), "/a/*");
  assert.equal(resolvePath(router, "/a/b", "DELETE"), "404");
  assert.equal(resolvePath(router, "/a/c", "POST"), "404");
});

test("the cache separates methods", () => {
  const router = routerOf("GET /:x", "POST /:y");
  for (let round = 0; round < 2; round++) {
    assert.equal(resolvePath(router, "/a", "GET"), "/:x");
    assert.equal(resolvePath(router, "/a", "POST"), "/:y");
    assert.equal(resolvePath(router, "/a", "PUT"), "404");
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

test("a path that is requested again stays cached while others are evicted", () => {
  const router = routerOf("GET /:x");
  const first = router.resolve("GET", "/hot");
  for (let index = 0; index < 50_000; index++) {
    router.resolve("GET", `/cold${index}`);
    assert.equal(router.resolve("GET", "/hot"), first);
  }
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

test("static text after a parameter is compared as a whole", () => {
  const router = routerOf("GET /a/:x/bc", "GET /a/:x/:y");
  assert.equal(resolvePath(router, "/a/1/bc"), "/a/:x/bc");
  assert.equal(resolvePath(router, "/a/1/b"), "/a/:x/:y");
  assert.equal(resolvePath(router, "/a/1/%62c"), "/a/:x/bc");
  assert.equal(resolvePath(router, "/a/1/"), "404");
  assert.equal(resolvePath(router, "/a%2F1/bc"), "404");
});
