import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "@tenon/core";
import { isMediaType } from "../../../server/src/request/grammar.ts";
import { isPlainHost } from "../../../server/src/request/inspect.ts";
import { testOnWire } from "../support/wire.ts";

const routes = [
  { method: "GET" as const, path: "/", handler: (ctx: Context) => ({ path: ctx.path, host: ctx.request().host() }) },
];

const host = "Host: localhost\r\n";
const get = (headers: string, line = "GET / HTTP/1.1") => `${line}\r\n${host}${headers}\r\n`;

const contentTypes = [
  "",
  "json",
  "__proto__",
  "application/json\ta",
  "application/json garbage",
  "application/json, text/plain",
  "application/json; charset",
  `application/${"j".repeat(300)}`,
];

testOnWire("a malformed Content-Type is refused", routes, async ({ untilClosed }) => {
  for (const type of contentTypes) {
    const [response] = await untilClosed(get(`Content-Type: ${type}\r\n`));
    assert.deepEqual([response?.status, response?.headers.get("connection")], [400, "close"], type);
  }
});

testOnWire("HTTP/1.0 without a Host is accepted, and the connection closes", routes, async ({ untilClosed }) => {
  const [response] = await untilClosed("GET / HTTP/1.0\r\n\r\n");
  assert.deepEqual([response?.status, response?.body], [200, '{"path":"/","host":""}']);
});

testOnWire("the host of an absolute-form target counts", routes, async ({ send }) => {
  const bare = await send(`GET http://example.org HTTP/1.1\r\n${host}\r\n`);
  assert.deepEqual(JSON.parse(bare.body), { path: "/", host: "example.org" });
});

testOnWire("a target with blanks, control characters or bytes above ASCII is refused", routes, async (wire) => {
  for (const character of ["\0", "\t", "\r", "\n", " ", "\x7f", "\x80", "\xff"]) {
    for (const target of [`/${character}`, `/?b=${character}`, `http://a/${character}`]) {
      const [response] = await wire.untilClosed(Buffer.from(get("", `GET ${target} HTTP/1.1`), "latin1"));
      assert.equal(response?.status, 400, JSON.stringify(target));
    }
  }
  assert.equal((await wire.send(get("", "GET /?!~?!~ HTTP/1.1"))).status, 200);
});

test("a hostile Content-Type or Host is matched quickly", () => {
  // each takes exponential time where an expression can split blanks or digits in two ways
  assert.equal(isMediaType(`a/b${";   ".repeat(60)}@`), false);
  assert.equal(isMediaType(`a/b${"; a=b ".repeat(40)}@`), false);
  assert.equal(isMediaType(`a/b;${" ".repeat(250)}@`), false);
  assert.equal(isPlainHost(`${"1".repeat(254)}@`), false);
  assert.equal(isPlainHost(`${"a.".repeat(127)}@`), false);
});

test("a Content-Type may have blanks and parameters", () => {
  for (const type of ["application/json ;", "Application/JSON; charset=UTF-8", 'text/plain;\ta="b c" ; d=e']) {
    assert.equal(isMediaType(type), true, type);
  }
});

testOnWire("headers that are too large are 431, also when they arrive in pieces", routes, async ({ connect }) => {
  // the shorter one is a whole line that only exceeds the limit together with the lines before it
  for (const size of [25_580, 102_400]) {
    const client = connect().send(`${get("")}GET / HTTP/1.1\r\n${host}`);
    await client.responses(1); // the first piece has been read
    const responses = await client.send(`X-A: ${"a".repeat(size)}\r\n\r\n`).untilClosed();
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 431],
    );
  }
});

testOnWire(
  "singleHeaders adds headers that a request may carry once, and keeps the defaults",
  routes,
  async ({ untilClosed, send }) => {
    assert.equal((await send(get("X-Tenant: a\r\n"))).status, 200);
    assert.equal((await untilClosed(get("X-Tenant: a\r\nx-tenant: a\r\n")))[0]?.status, 400);
    assert.equal((await untilClosed(get("X-API-Key: a\r\nX-Api-Key: a\r\n")))[0]?.status, 400);
  },
  { singleHeaders: ["X-Tenant"] },
);
