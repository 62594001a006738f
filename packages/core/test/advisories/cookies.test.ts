import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "@tenon/core";
import type { CookieOptions } from "../../src/body/cookies.ts";
import { parseCookies } from "../../src/body/cookies.ts";
import { request } from "../support/gate.ts";
import { testOnBothTransports } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

type Cookie = readonly [name: string, value: string, options?: object];

/** A route that sets a valid cookie, then the cookie under test. */
class Setter {
  cookie: Cookie = ["a", "1"];

  readonly routes = [
    {
      method: "GET" as const,
      path: "/",
      handler: (ctx: Context) => {
        const [name, value, options] = this.cookie;
        ctx.setCookie("before", "1");
        ctx.setCookie(name, value, options as CookieOptions); // plain JavaScript can pass anything
        return "set";
      },
    },
  ];
}

const breaking = [";", "\r", "\n", "\r\nx: y", "\0", "\u2028", "é"];
const badNames = ["", ...[...breaking, "=", ",", " ", "\t", '"'].map((text) => `a${text}b`)];
const refused: readonly Cookie[] = [
  ...badNames.map((name): Cookie => [name, "1"]),
  ...breaking.map((text): Cookie => ["a", "1", { path: `/${text}` }]),
  ...breaking.map((text): Cookie => ["a", "1", { domain: `example.com${text}` }]),
  ...[...breaking, "lax; Secure", "", "LAX", "constructor"].map((sameSite): Cookie => ["a", "1", { sameSite }]),
  ["a", "1", { maxAge: "1; Secure" }],
  ["a", "1", { expires: new Date(Number.NaN) }],
];

const k1 = new Setter();
testOnBothTransports(
  "an invalid cookie is one 500 without any cookie (K1, cookie CVE-2024-47764, Hono CVE-2026-47675)",
  k1.routes,
  async (call) => {
    for (const cookie of refused) {
      k1.cookie = cookie;
      const response = await call("GET", "/");
      assert.deepEqual([response.status, response.headers.getSetCookie()], [500, []], JSON.stringify(cookie));
      assert.equal(response.headers.get("x"), null);
    }
    for (const text of [...breaking, "=", ",", " "]) {
      k1.cookie = ["a", `1${text}`];
      const response = await call("GET", "/");
      const [, cookie] = response.headers.getSetCookie();
      assert.equal(cookie, `a=1${encodeURIComponent(text)}; Path=/; HttpOnly; SameSite=Lax`);
    }
  },
);

const reader = {
  method: "GET" as const,
  path: "/",
  handler: (ctx: Context) => ["__Host-x", "__Secure-x", "session_id", "a"].map((name) => ctx.cookie(name)),
};

testOnWire(
  "cookie names are trimmed of space and tab only, and the first of a repeated name wins (K2, Hono CVE-2026-39410)",
  [reader],
  async ({ send }) => {
    const read = async (cookies: string) =>
      JSON.parse((await send(Buffer.from(request("/", `Cookie: ${cookies}\r\n`), "latin1"))).body) as string[];
    assert.deepEqual(await read(" \t__Host-x \t= 1 ; a=2"), ["1", "", "", "2"]);
    for (const blank of ["\xa0", "\x85", "\xad"]) {
      assert.deepEqual(await read(`${blank}__Host-x=evil; ${blank}__Secure-x=evil; a=1`), ["", "", "", "1"]);
    }
    for (const name of ["__host-x", "__HOST-X", "__Host-x%20", "$__Host-x"]) {
      assert.deepEqual(await read(`${name}=evil`), ["", "", "", ""], name);
    }
    assert.deepEqual(await read("session_id=first; session_id=second"), ["", "", "first", ""]);
    assert.deepEqual(await read("session_id=first\r\nCookie: session_id=second"), ["", "", "first", ""]);
  },
);

const k3 = new Setter();
testOnBothTransports(
  "a cookie keeps the guarantees of its prefix, or is not set (K3, Hono 44ae0c8c)",
  k3.routes,
  async (call) => {
    const set = async (...cookie: Cookie) => {
      k3.cookie = cookie;
      return (await call("GET", "/")).status;
    };
    for (const name of ["__Host-x", "__host-x", "__HOST-x"]) {
      assert.equal(await set(name, "1"), 500, "not Secure");
      assert.equal(await set(name, "1", { secure: true, path: "/a" }), 500, "another path");
      assert.equal(await set(name, "1", { secure: true, domain: "example.com" }), 500, "a domain");
      assert.equal(await set(name, "1", { secure: true }), 200);
    }
    for (const name of ["__Secure-x", "__secure-x"]) {
      assert.equal(await set(name, "1"), 500);
      assert.equal(await set(name, "1", { secure: true, path: "/a", domain: "example.com" }), 200);
    }
    assert.equal(await set("a", "1", { sameSite: "none" }), 500, "SameSite=None without Secure");
  },
);

test("no cookie is joined from pieces, however many there are (K5, h3 399257cb, 8eb1063e)", () => {
  const many = Array.from({ length: 2000 }, (_, index) => `c${index}=${index}`).join("; ");
  const pieces = "session=__chunked__2; session.0=a; session.1=b; session.C=2; __chunk_session=9999999";
  const cookies = parseCookies(`${pieces}; ${many}; ${"x".repeat(8192)}=1`);
  assert.equal(Object.keys(cookies).length, 2006);
  assert.deepEqual([cookies.session, cookies["session.0"], cookies["session.1"]], ["__chunked__2", "a", "b"]);
});
