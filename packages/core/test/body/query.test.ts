import assert from "node:assert/strict";
import { test } from "node:test";
import { array, dto, endpoint, HttpError, string } from "@tenon/core";
import { parseQuery } from "../../src/body/query.ts";
import { testOnBothTransports } from "../support/transports.ts";

const parse = (search: string) => Object.entries(parseQuery(search, 1000));

test("a query is parsed into pairs, and the first of a repeated name wins", () => {
  assert.deepEqual(parse(""), []);
  assert.deepEqual(parse("a=1&b=2&a=3"), [
    ["a", "1"],
    ["b", "2"],
  ]);
  assert.deepEqual(parse("a=&b&=c&&d=e=f&"), [
    ["a", ""],
    ["b", ""],
    ["", "c"],
    ["d", "e=f"],
  ]);
});

test("plus and percent-encoding are decoded, also in names", () => {
  assert.deepEqual(parse("a+b=c%20d&%C3%A9=%26%3D%2B"), [
    ["a b", "c d"],
    ["é", "&=+"],
  ]);
});

const refused = (search: string) =>
  assert.throws(
    () => parseQuery(search, 1000),
    (error) => error instanceof HttpError && error.status === 400,
  );

test("malformed percent-encoding is refused with 400", () => {
  for (const search of ["a=%", "%zz=1", "a=%c3", "a=1&b=%E0%A4"]) refused(search);
});

test("a thousand pairs pass and one more is refused with 400", () => {
  const pairs = (count: number) => Array.from({ length: count }, () => "a=1").join("&");
  assert.deepEqual(parse(pairs(1000)), [["a", "1"]]);
  refused(pairs(1001));
  assert.deepEqual(parse("&".repeat(5000)), [], "empty pairs do not count");
});

testOnBothTransports(
  "a malformed query is 400 when a handler reads it, and only then",
  [
    { method: "GET", path: "/reads", handler: (ctx) => ctx.query("a") },
    { method: "GET", path: "/default", handler: (ctx) => ctx.queryDefault("a", "x") },
    { method: "GET", path: "/map", handler: (ctx) => ctx.request().queries() },
    { method: "GET", path: "/ignores", handler: () => "fine" },
  ],
  async (call) => {
    const many = Array.from({ length: 1001 }, () => "a=1").join("&");
    for (const search of ["a=%", "%E0%A4%A=1", many]) {
      for (const path of ["/reads", "/default", "/map"]) {
        const response = await call("GET", `${path}?${search}`);
        assert.equal(response.status, 400, path);
        assert.deepEqual(await response.json(), { error: "Bad Request" });
      }
      assert.equal((await call("GET", `/ignores?${search}`)).status, 200);
    }
  },
);

testOnBothTransports(
  "a contract reads a repeated name of the query as a list",
  [
    {
      method: "GET",
      path: "/",
      handler: endpoint({ query: dto({ tag: array(string()), word: string() }) }, (_, { query }) => query),
    },
  ],
  async (call) => {
    const response = await call("GET", "/?tag=a&word=b&tag=c&tag=d");
    assert.deepEqual(await response.json(), { tag: ["a", "c", "d"], word: "b" });
  },
);
