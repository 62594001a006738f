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

test("names are trimmed of space and tab only, and the first of a repeated name wins (K2, Hono CVE-2026-39410)", () => {
  assert.deepEqual(parse("\u00a0__Host-x=evil; \t__Host-x\t=\t1 ; session_id=first; session_id=second"), [
    ["\u00a0__Host-x", "evil"],
    ["__Host-x", "1"],
    ["session_id", "first"],
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

test("many cookies and a header of 8 KB are read one by one, and no value is joined from pieces (K5, h3 399257cb, 8eb1063e)", () => {
  const many = Array.from({ length: 60 }, (_, index) => `chunk.${index}=${"x".repeat(120)}`).join("; ");
  assert.equal(parse(many).length, 60);
  assert.equal(parseCookies(many).chunk, undefined);
  for (const hostile of [";".repeat(8192), " ".repeat(8192), "=".repeat(8192), '"'.repeat(8192), "a=%".repeat(2730)]) {
    assert.ok(parse(hostile).length <= 1);
  }
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

const odd = (options: Record<string, unknown>) => options as CookieOptions; // as plain JavaScript might pass them
const refused: readonly { name?: string; options?: CookieOptions; text: string }[] = [
  { name: "", text: '"" is not a cookie name' },
  { name: "a b", text: '"a b" is not a cookie name' },
  { name: "a;b", text: '"a;b" is not a cookie name' },
  { name: "a=b", text: '"a=b" is not a cookie name' },
  { name: "a\r\nb", text: '"a\\r\\nb" is not a cookie name' },
  { options: { path: "/;x" }, text: '"/;x" is not a cookie path' },
  { options: { path: "/\n" }, text: '"/\\n" is not a cookie path' },
  { options: { path: "/ü" }, text: '"/ü" is not a cookie path' },
  { options: { domain: "a;b" }, text: '"a;b" is not a cookie domain' },
  { options: { domain: "a\r" }, text: '"a\\r" is not a cookie domain' },
  { options: odd({ sameSite: "lax; x" }), text: '"lax; x" is not a SameSite value' },
  { options: odd({ sameSite: "constructor" }), text: '"constructor" is not a SameSite value' },
  { options: { maxAge: 1.5 }, text: "maxAge is a whole number of seconds" },
  { options: { maxAge: Number.NaN }, text: "maxAge is a whole number of seconds" },
  { options: { expires: new Date(Number.NaN) }, text: "expires is not a valid date" },
  { options: { sameSite: "none" }, text: "SameSite=None needs secure: true" },
];
for (const { name = "a", options = {}, text } of refused) {
  test(`an invalid cookie throws: ${text} (K1, cookie CVE-2024-47764, Hono GHSA-26pp-8wgv-hjvm)`, () => {
    assert.throws(() => serializeCookie(name, "1", options), { name: "TypeError", message: text });
  });
}

test("__Host- and __Secure- cookies keep the guarantees of their prefix (K3, Hono 44ae0c8c)", () => {
  const refuses = (name: string, options: CookieOptions) =>
    assert.throws(() => serializeCookie(name, "1", options), TypeError, `${name} ${JSON.stringify(options)}`);
  refuses("__Secure-a", {});
  refuses("__secure-a", {});
  refuses("__Host-a", {});
  refuses("__Host-a", { secure: true, path: "/x" });
  refuses("__HOST-a", { secure: true, domain: "example.com" });
  assert.match(serializeCookie("__Secure-a", "1", { secure: true, domain: "example.com" }), /^__Secure-a=1;/);
  assert.match(serializeCookie("__Host-a", "1", { secure: true }), /^__Host-a=1; Path=\//);
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
