import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "@tenon/core";
import { ResponseHeaders } from "../../src/request/headers.ts";
import { testOnBothTransports } from "../support/transports.ts";

test("headers are found in any case of their name", () => {
  const headers = new ResponseHeaders().setHeader("X-One", "1");
  assert.equal(headers.header("x-one"), "1");
  assert.ok(headers.has("X-ONE"));
  assert.equal(headers.removeHeader("x-One").has("x-one"), false);
  assert.equal(headers.header("x-one"), "");
});

test("setHeader() replaces a header, addHeader() adds a value to it", () => {
  const headers = new ResponseHeaders().setHeader("vary", "a").addHeader("Vary", "b").addHeader("vary", "c");
  assert.deepEqual([...headers.entries()], [["vary", ["a", "b", "c"]]]);
  assert.equal(headers.header("vary"), "a, b, c");
  headers.setHeader("vary", ["x", "y"]);
  assert.deepEqual([...headers.entries()], [["vary", ["x", "y"]]]);
});

test("names and values that would break the response head throw", () => {
  const headers = new ResponseHeaders();
  for (const name of ["", "a b", "a:", "a\r\n", "ü"]) {
    assert.throws(() => headers.setHeader(name, "1"), {
      name: "TypeError",
      message: `${JSON.stringify(name)} is not a header name`,
    });
  }
  for (const value of ["a\r\nb: c", "a\nb", "a\0", "€", "🙂"]) {
    const error = { name: "TypeError", message: "The value of header x has a character that a header cannot carry" };
    assert.throws(() => headers.setHeader("x", value), error);
    assert.throws(() => headers.setHeader("x", ["fine", value]), error);
    assert.throws(() => headers.addHeader("x", value), error);
  }
  assert.deepEqual([...headers.entries()], []);
});

testOnBothTransports(
  "response().setHeader() sets a header of the response, a content type included",
  [
    route.get("/", (ctx) => {
      ctx.response().setHeader("X-One", "a\t1").addHeader("vary", "a").addHeader("vary", "b");
      ctx.response().setHeader("Content-Type", "application/problem+json");
      return { a: 1 };
    }),
  ],
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.headers.get("x-one"), "a\t1");
    assert.equal(response.headers.get("vary"), "a, b");
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.deepEqual(await response.json(), { a: 1 });
  },
);
