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

const wildcardText = '"*" must be the whole last segment, as in "/files/*"';
const emptyText = 'a path has no empty segments ("//")';
const parameterText = (part: string) =>
  `"${part}" is not a parameter: write ":name" as a whole segment, with letters, digits and "_"`;

const decodedText = (encoded: string, literal: string) =>
  `a path is written decoded, not "${encoded}": write "${literal}" for these characters`;

const malformed: Record<string, string> = {
  "/a/*/b": wildcardText,
  "/*/*": wildcardText,
  "/a*": wildcardText,
  "/a//b": emptyText,
  "//a": emptyText,
  "/a//*": emptyText,
  "/:": parameterText(":"),
  "/:a-:b": parameterText(":a-:b"),
  "/:1a": parameterText(":1a"),
  "/:a.json": parameterText(":a.json"),
  "/:a(x)": parameterText(":a(x)"),
  "/{id}": parameterText("{id}"),
  "/a/{name}.json": parameterText("{name}.json"),
  "/{*path}": wildcardText,
  "/:id/x/:id": 'it has ":id" twice',
  "/a/../b": '".." is not a segment that a request can carry',
  "/.": '"." is not a segment that a request can carry',
  "/a?b": 'a path cannot contain "?"',
  "/:a?": 'a path cannot contain "?"',
  "/a#b": 'a path cannot contain "#"',
  "/a\\b": 'a path cannot contain "\\\\"',
  "/a\n": 'a path cannot contain "\\n"',
  "/caf%C3%A9": decodedText("%C3%A9", "%25C3%25A9"),
  "/5%de": decodedText("%de", "%25de"),
  "/a%2fb": decodedText("%2f", "%252f"),
  "/a%00": decodedText("%00", "%2500"),
  "/a\ud800": "a path is well-formed Unicode",
};
for (const [path, message] of Object.entries(malformed)) {
  test(`${JSON.stringify(path)} is malformed: ${message}`, () => {
    assert.throws(
      () => parsePattern(path),
      (error) => error instanceof PatternError && error.message === message,
    );
  });
}

const joins: readonly [group: string, child: string, joined: string][] = [
  ["", "/a", "/a"],
  ["/", "/a", "/a"],
  ["/", "a", "/a"],
  ["/api", "/v1", "/api/v1"],
  ["/api/", "/v1", "/api/v1"],
  ["/api", "v1", "/api/v1"],
  ["/api/", "v1/", "/api/v1/"],
  ["/api", "/", "/api"],
  ["/api/", "", "/api"],
  ["/api", "", "/api"],
  ["", "/", "/"],
  ["/", "/", "/"],
  ["/api", "*", "/api/*"],
  ["", "posts", "posts"],
  ["posts", "list", "posts/list"],
  ["posts", "/list", "posts/list"],
];
for (const [group, child, joined] of joins) {
  test(`the group "${group}" and its child "${child}" join to "${joined}" (P21)`, () => {
    assert.equal(joinPaths(group, child), joined);
  });
}

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
