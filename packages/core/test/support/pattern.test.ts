import assert from "node:assert/strict";
import { test } from "node:test";
import {
  comparePatterns,
  joinPaths,
  overlaps,
  PatternError,
  parsePattern,
  shapeOf,
} from "../../src/support/pattern.ts";

test("a path is parsed into static segments, parameters and a trailing wildcard", () => {
  assert.deepEqual(parsePattern("/users/:id/files/*"), {
    path: "/users/:id/files/*",
    segments: ["users", undefined, "files"],
    params: [{ name: "id", index: 1 }],
    wildcard: true,
  });
  assert.deepEqual(parsePattern("/").segments, [""]);
  assert.deepEqual(parsePattern("/*"), { path: "/*", segments: [], params: [], wildcard: true });
  assert.deepEqual(parsePattern("/:a/:b_2").params, [
    { name: "a", index: 0 },
    { name: "b_2", index: 1 },
  ]);
});

test("a command's path is the same without the leading slash", () => {
  assert.deepEqual(parsePattern("posts/show/:id").segments, ["posts", "show", undefined]);
});

test("a colon inside a segment is text", () => {
  assert.deepEqual(parsePattern("/jobs/run:now").segments, ["jobs", "run:now"]);
});

test("static text is written decoded, and only a % before two hexadecimal digits is written %25", () => {
  const spellings: readonly [path: string, ...segments: string[]][] = [
    ["/a b", "a b"],
    ["/ /b ", " ", "b "],
    ["/100%", "100%"],
    ["/100%25", "100%"],
    ["/5%-off/%/%%", "5%-off", "%", "%%"],
    ["/5%25de", "5%de"],
    ["/%2500", "%00"],
    ["/%252525", "%2525"],
    ["/%2 0", "%2 0"],
  ];
  for (const [path, ...segments] of spellings) assert.deepEqual(parsePattern(path).segments, segments, path);
});

/** Paths that are malformed, by what their messages say. */
const malformed: Record<string, readonly string[]> = {
  '"*" must be the whole last segment, as in "/files/*"': ["/a/*/b", "/*/*", "/a*", "/{*path}"],
  'a path has no empty segments ("//")': ["/a//b", "//a", "/a//*"],
  'write ":name" as a whole segment': ["/:", "/:a-:b", "/:1a", "/:a.json", "/:a(x)", "/{id}", "/a/{name}.json"],
  'it has ":id" twice': ["/:id/x/:id"],
  "is not a segment that a request can carry": ["/a/../b", "/."],
  "a path cannot contain": ["/a?b", "/:a?", "/a#b", "/a\\b", "/a\n"],
  "a path is written decoded": ["/caf%C3%A9", "/5%de", "/a%2fb", "/a%00"],
  "a path is well-formed Unicode": ["/a\ud800"],
};
for (const [message, paths] of Object.entries(malformed)) {
  test(`a path is malformed: ${message}`, () => {
    const isExplained = (error: unknown) => error instanceof PatternError && error.message.includes(message);
    for (const path of paths) assert.throws(() => parsePattern(path), isExplained, path);
  });
}

test("the paths of a group and its child join with one slash (P21)", () => {
  const joins: Record<string, readonly string[]> = {
    "/a": ["|/a", "/|/a", "/|a"],
    "/api/v1": ["/api|/v1", "/api/|/v1", "/api|v1"],
    "/api/v1/": ["/api/|v1/"],
    "/api": ["/api|/", "/api/|", "/api|"],
    "/": ["|/", "/|/"],
    "/api/*": ["/api|*"],
    posts: ["|posts"],
    "posts/list": ["posts|list", "posts|/list"],
  };
  for (const [joined, parts] of Object.entries(joins)) {
    for (const [group = "", child = ""] of parts.map((part) => part.split("|"))) {
      assert.equal(joinPaths(group, child), joined, `${group} and ${child}`);
    }
  }
});

test("two patterns have the same shape when only their parameter names differ", () => {
  const shape = (path: string) => shapeOf(parsePattern(path));
  assert.equal(shape("/u/:id"), shape("/u/:name"));
  assert.equal(shape("/u/:id/*"), shape("/u/:name/*"));
  for (const other of ["/u", "/u/", "/u/id", "/:u/id", "/u/:id/", "/u/*", "/u/:id/*"]) {
    assert.notEqual(shape("/u/:id"), shape(other), other);
  }
});

test("two patterns with parameters in the same places have equal rank", () => {
  const compare = (a: string, b: string) => comparePatterns(parsePattern(a), parsePattern(b));
  assert.equal(compare("/a/:x", "/b/:y"), 0);
  assert.equal(compare("/a/:x/*", "/b/:y/*"), 0);
  assert.equal(compare("/a/:x", "/:y/b"), -1);
  assert.equal(compare("/:y/b", "/a/:x"), 1);
});

test("two patterns overlap when some path is matched by both", () => {
  const overlap = (a: string, b: string) => {
    const result = overlaps(parsePattern(a), parsePattern(b));
    assert.equal(overlaps(parsePattern(b), parsePattern(a)), result, "in either order");
    return result;
  };
  assert.ok(overlap("/a/:x", "/:y/b"));
  assert.ok(overlap("/a/*", "/:x/b"));
  assert.ok(overlap("/a/*", "/a/"));
  assert.ok(overlap("/*", "/a/b/:c"));
  assert.ok(overlap("/a/*", "/a/:b/*"));
  assert.ok(!overlap("/a/:x", "/b/:x"));
  assert.ok(!overlap("/a/:x", "/a"));
  assert.ok(!overlap("/a/:x", "/a/"), "a parameter is never empty");
  assert.ok(!overlap("/a/*", "/a"), "a wildcard needs its slash");
  assert.ok(!overlap("/a/*", "/b/*"));
});
