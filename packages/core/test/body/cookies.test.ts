import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "@tenon/core";
import type { CookieOptions } from "../../src/body/cookies.ts";
import { parseCookies, serializeCookie } from "../../src/body/cookies.ts";
import { testOnBothTransports } from "../support/transports.ts";

const parse = (header: string) => Object.entries(parseCookies(header));

test("cookies are read by name, decoded and without their quotes", () => {
  assert.deepEqual(parse('a=1; b=x%20y;c="q"; d=e=f; g='), [
    ["a", "1"],
    ["b", "x y"],
    ["c", "q"],
    ["d", "e=f"],
    ["g", ""],
  ]);
});

test("text that is not a pair is ignored, and a value that cannot be decoded stays as it is", () => {
  assert.deepEqual(parse("; noequals; =nameless; a=%zz; b=100%"), [
    ["a", "%zz"],
    ["b", "100%"],
  ]);
});

test("a cookie named __proto__ is a plain entry of a map without prototype (B7)", () => {
  const cookies = parseCookies("__proto__=1; constructor=2");
  assert.equal(Object.getPrototypeOf(cookies), null);
  assert.deepEqual(Object.entries(cookies), [
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

const serialized: readonly [CookieOptions, string][] = [
  [{}, "a=1; Path=/; HttpOnly; SameSite=Lax"],
  [{ secure: true }, "a=1; Path=/; HttpOnly; Secure; SameSite=Lax"],
  [{ httpOnly: false, sameSite: "strict" }, "a=1; Path=/; SameSite=Strict"],
  [{ sameSite: "none", secure: true }, "a=1; Path=/; HttpOnly; Secure; SameSite=None"],
  [
    { path: "/app", domain: "example.com", maxAge: 60 },
    "a=1; Path=/app; Domain=example.com; Max-Age=60; HttpOnly; SameSite=Lax",
  ],
  [{ maxAge: 0 }, "a=1; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"],
  [{ expires: new Date(0) }, "a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax"],
];
for (const [options, header] of serialized) {
  test(`a cookie is written as ${header}`, () => assert.equal(serializeCookie("a", "1", options), header));
}

test("a value is encoded, and decodes to the same text", () => {
  for (const value of ["", "a b", "x;y", "a,b", '"q"', "ü\n", "=", "\r\nset-cookie: b=2"]) {
    const header = serializeCookie("a", value);
    assert.match(header, /^a=[^;\s]*; Path=/);
    assert.equal(parseCookies(header.split(";")[0] ?? "").a, value);
  }
});

const set = (path: string, name: string, options?: CookieOptions): Route => ({
  method: "GET",
  path,
  handler: (ctx) => {
    ctx.setCookie(name, "1", options);
    ctx.setCookie("other", "2");
    return "set";
  },
});

testOnBothTransports(
  "setCookie() adds one header per cookie, and an invalid cookie is a 500 without any",
  [set("/", "a"), set("/bad", "a\r\nx: y")],
  async (call, _app, log) => {
    const response = await call("GET", "/");
    assert.deepEqual(response.headers.getSetCookie(), [
      "a=1; Path=/; HttpOnly; SameSite=Lax",
      "other=2; Path=/; HttpOnly; SameSite=Lax",
    ]);
    const refusedResponse = await call("GET", "/bad");
    assert.equal(refusedResponse.status, 500);
    assert.deepEqual(refusedResponse.headers.getSetCookie(), []);
    assert.deepEqual(log.causes(), ['"a\\r\\nx: y" is not a cookie name']);
  },
);
