import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { inspect, isMediaType, isPlainHost } from "../../src/http/inspect.ts";
import { toHttpSettings } from "../../src/http/settings.ts";
import { moduleOf } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

const routes = [
  { method: "GET" as const, path: "/", handler: (ctx: Context) => ({ path: ctx.path, host: ctx.request().host() }) },
  { method: "GET" as const, path: "/q", handler: (ctx: Context) => ctx.request().queries() },
  { method: "GET" as const, path: "/p/:id", handler: (ctx: Context) => ({ id: ctx.param("id") }) },
  { method: "GET" as const, path: "/headers", handler: (ctx: Context) => Object.keys(ctx.request().headers()) },
  {
    method: "POST" as const,
    path: "/",
    handler: async (ctx: Context) => ({ body: Buffer.from(await ctx.request().body()).toString() }),
  },
];

const host = "Host: localhost\r\n";
const get = (headers: string, line = "GET / HTTP/1.1") => `${line}\r\n${host}${headers}\r\n`;
const post = (headers: string, body = "") => `POST / HTTP/1.1\r\n${host}${headers}\r\n${body}`;

const refusals: Readonly<Record<string, readonly [status: number, request: string]>> = {
  "a duplicate Host": [400, get("Host: localhost\r\n")],
  "a duplicate Host in another case": [400, get("hOST: localhost\r\n")],
  "no Host in HTTP/1.1": [400, "GET / HTTP/1.1\r\n\r\n"],
  "a duplicate Authorization": [400, get("Authorization: Bearer a\r\nauthorization: Bearer b\r\n")],
  "a duplicate Content-Type": [400, get("Content-Type: application/json\r\nContent-Type: text/plain\r\n")],
  "a duplicate X-API-Key": [400, get("X-API-Key: a\r\nX-Api-Key: a\r\n")],
  "a duplicate Content-Length of one value": [400, post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}")],
  "a duplicate Content-Length of two values": [400, post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}")],
  "a Content-Length that is a list": [400, post("Content-Length: 2, 2\r\n", "{}")],
  "a Content-Length with a sign": [400, post("Content-Length: +2\r\n", "{}")],
  "a negative Content-Length": [400, post("Content-Length: -2\r\n", "{}")],
  "a hexadecimal Content-Length": [400, post("Content-Length: 0x2\r\n", "{}")],
  "a Content-Length past every number": [400, post(`Content-Length: ${"9".repeat(30)}\r\n`)],
  "a Content-Length past what can be counted exactly": [400, post(`Content-Length: ${"9".repeat(16)}\r\n`)],
  "a space before the colon of Content-Length": [400, post("Content-Length : 2\r\n", "{}")],
  "a space before Content-Length": [400, `POST / HTTP/1.1\r\n${host} Content-Length: 2\r\n\r\n{}`],
  "Content-Length with Transfer-Encoding": [
    400,
    post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
  ],
  "Transfer-Encoding with Content-Length": [
    400,
    post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
  ],
  "Transfer-Encoding: gzip": [400, post("Transfer-Encoding: gzip\r\n", "x")],
  "Transfer-Encoding: gzip, chunked": [400, post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")],
  "Transfer-Encoding: chunked, gzip": [400, post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n")],
  "Transfer-Encoding: chunked,": [400, post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n")],
  "Transfer-Encoding: chunked, chunked": [400, post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")],
  "Transfer-Encoding: identity": [400, post("Transfer-Encoding: identity\r\n")],
  "a quoted Transfer-Encoding": [400, post('Transfer-Encoding: "chunked"\r\n', "0\r\n\r\n")],
  "a vertical tab in Transfer-Encoding": [400, post("Transfer-Encoding: \vchunked\r\n", "0\r\n\r\n")],
  "a duplicate Transfer-Encoding": [
    400,
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
  ],
  "Transfer-Encoding on HTTP/1.0": [400, `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  "a request line with an extra word": [400, get("", "GET / HTTP/1.1 x")],
  "a header folded over two lines": [400, get("X-A: 1\r\n 2\r\n")],
  "a carriage return alone": [400, get("X-A: 1\rX-B: 2\r\n")],
  "a line feed alone": [400, `GET / HTTP/1.1\n${host}\n`],
  "an empty line that ends early": [400, `GET / HTTP/1.1\r\n${host}\rX`],
  "a NUL in a header": [400, get("X-A: \0\r\n")],
  "a header without a name": [400, get(": x\r\n")],
  "an empty Content-Type": [400, get("Content-Type:\r\n")],
  "a Content-Type without a subtype": [400, get("Content-Type: json\r\n")],
  "a Content-Type named __proto__": [400, get("Content-Type: __proto__\r\n")],
  "a Content-Type with a tab and more": [400, post("Content-Type: application/json\ta\r\nContent-Length: 2\r\n", "{}")],
  "a Content-Type with a word after it": [400, post("Content-Type: application/json garbage\r\n", "")],
  "a Content-Type with two types": [400, get("Content-Type: application/json, text/plain\r\n")],
  "a Content-Type with a broken parameter": [400, get("Content-Type: application/json; charset\r\n")],
  "a Content-Type of 300 characters": [400, get(`Content-Type: application/${"j".repeat(300)}\r\n`)],
  "Content-Encoding: gzip": [415, post("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}")],
  "Content-Encoding: identity": [415, post("Content-Encoding: identity\r\nContent-Length: 2\r\n", "{}")],
  "an unknown Expect": [417, get("Expect: something\r\n")],
  "an Expect of more than 100-continue": [417, get("Expect: 100-continue, something\r\n")],
  TRACE: [501, get("", "TRACE / HTTP/1.1")],
  "an HTTP/2.0 request line": [505, get("", "GET / HTTP/2.0")],
  "an HTTP/1.2 request line": [505, get("", "GET / HTTP/1.2")],
  "an HTTP/0.9 request line": [505, get("", "GET / HTTP/0.9")],
  "a request line without a version": [505, "GET /\r\n\r\n"],
  "a method named constructor": [400, get("", "constructor / HTTP/1.1")],
  "a method named __proto__": [400, get("", "__proto__ / HTTP/1.1")],
  "a method in lower case": [400, get("", "get / HTTP/1.1")],
  "a target of 8 KiB and one byte": [414, get("", `GET /${"a".repeat(8192)} HTTP/1.1`)],
  "a target of 100 KiB": [414, get("", `GET /${"a".repeat(102_400)} HTTP/1.1`)],
  "a target of 9 KiB with headers of 18 KiB": [
    414,
    get(`X-A: ${"a".repeat(100)}\r\n`.repeat(170), `GET /${"a".repeat(9216)} HTTP/1.1`),
  ],
  "201 headers": [431, get("a:b\r\n".repeat(200))],
  "2,000 headers": [431, get("a:b\r\n".repeat(2000))],
  "headers of more than 16 KiB": [431, get(`X-A: ${"a".repeat(16_384)}\r\n`)],
  "headers of 100 KiB": [431, get(`X-A: ${"a".repeat(102_400)}\r\n`)],
  "a target that is not a path": [400, get("", "GET index.html HTTP/1.1")],
  "a target of another scheme": [400, get("", "GET ftp://localhost/ HTTP/1.1")],
  "an asterisk for another method": [400, get("", "GET * HTTP/1.1")],
  "an absolute target with a user": [400, get("", "GET http://u@localhost/ HTTP/1.1")],
  "an absolute target without a host": [400, get("", "GET http:///x HTTP/1.1")],
  "a byte above ASCII in the target": [400, get("", "GET /\xe9 HTTP/1.1")],
  "a control character in the target": [400, get("", "GET /\x01 HTTP/1.1")],
  "DEL in the query": [400, get("", "GET /?\x7f HTTP/1.1")],
};

for (const [name, [status, request]] of Object.entries(refusals)) {
  testOnWire(
    `${name} is refused with ${status}, and the connection closes`,
    routes,
    async ({ untilClosed, connect }) => {
      const responses = await untilClosed(Buffer.from(request, "latin1"));
      assert.deepEqual(
        responses.map((response) => [
          response.status,
          response.headers.get("connection"),
          Object.keys(JSON.parse(response.body)),
        ]),
        [[status, "close", ["error"]]],
      );
      const [next] = await connect().send(get("")).responses(1);
      assert.equal(next?.status, 200, "the server keeps serving");
    },
  );
}

for (const value of [
  "a b",
  "a/b",
  "user@localhost",
  "evil:x@good",
  "a:",
  "a:x",
  "a:65536",
  "a,b",
  "[::g]",
  "[::1",
  "1.2.3.999",
  "a..b",
  "a#b",
  "\xe9",
  "",
]) {
  testOnWire(`the Host ${JSON.stringify(value)} is refused`, routes, async ({ untilClosed }) => {
    const responses = await untilClosed(Buffer.from(`GET / HTTP/1.1\r\nHost: ${value}\r\n\r\n`, "latin1"));
    assert.deepEqual(
      responses.map((response) => response.status),
      [400],
    );
  });
}

for (const value of [
  "localhost",
  "LOCALHOST:8080",
  "127.0.0.1:65535",
  "[::1]:80",
  "xn--bcher-kva.example",
  "a_b-c.d.",
]) {
  testOnWire(`the Host ${value} is accepted`, routes, async ({ send }) => {
    const response = await send(`GET / HTTP/1.1\r\nHost: ${value}\r\n\r\n`);
    assert.deepEqual(JSON.parse(response.body), { path: "/", host: value });
  });
}

testOnWire("HTTP/1.0 without a Host is accepted, and the connection closes", routes, async ({ untilClosed }) => {
  const [response] = await untilClosed("GET / HTTP/1.0\r\n\r\n");
  assert.deepEqual([response?.status, response?.body], [200, '{"path":"/","host":""}']);
});

testOnWire("values exactly at a limit are accepted", routes, async ({ send }) => {
  const target = await send(get("", `GET /p/${"a".repeat(8192 - 3)} HTTP/1.1`));
  assert.equal(target.status, 200);
  const count = await send(get(`${"a:b\r\n".repeat(198)}Authorization: last\r\n`, "GET /headers HTTP/1.1"));
  assert.deepEqual(JSON.parse(count.body), ["host", "a", "authorization"]);
  const fixed = "Host".length + "localhost".length + 4 + "X-A".length + 4;
  assert.equal((await send(get(`X-A: ${"a".repeat(16_384 - fixed)}\r\n`))).status, 200);
});

testOnWire(
  "an absolute-form target has the path of its origin form, and the host that it names",
  routes,
  async ({ send }) => {
    const bare = await send(`GET http://example.org HTTP/1.1\r\n${host}\r\n`);
    assert.deepEqual(JSON.parse(bare.body), { path: "/", host: "example.org" });
    const param = await send(`GET HTTP://example.org:81/p/x%2Fy?a=1 HTTP/1.1\r\n${host}\r\n`);
    assert.deepEqual(JSON.parse(param.body), { id: "x/y" });
    const query = await send(`GET http://example.org/q?a=1 HTTP/1.1\r\n${host}\r\n`);
    assert.deepEqual(JSON.parse(query.body), { a: "1" });
  },
);

testOnWire("the fragment of a target is ignored", routes, async ({ send }) => {
  const query = await send(get("", "GET /q?a=1#x&b=2 HTTP/1.1"));
  assert.deepEqual(JSON.parse(query.body), { a: "1" });
  const path = await send(get("", "GET /p/a#/b?c=1 HTTP/1.1"));
  assert.deepEqual(JSON.parse(path.body), { id: "a" });
});

testOnWire("malformed percent-encoding is 400, and the connection stays open", routes, async ({ connect }) => {
  const client = connect();
  for (const target of ["/p/%", "/p/%zz", "/p/%c3%28", "/%", "/q?a=%"]) client.send(get("", `GET ${target} HTTP/1.1`));
  const responses = await client.send(get("")).responses(6);
  assert.deepEqual(
    responses.map((response) => response.status),
    [400, 400, 400, 400, 400, 200],
  );
});

testOnWire("OPTIONS * is 204", routes, async ({ untilClosed }) => {
  const [response] = await untilClosed(get("", "OPTIONS * HTTP/1.1"));
  assert.deepEqual([response?.status, response?.headers.has("content-type")], [204, false]);
});

testOnWire("a method that no route can have is 404", routes, async ({ send }) => {
  assert.equal((await send(get("", "PROPFIND / HTTP/1.1"))).status, 404);
});

testOnWire("CONNECT and the HTTP/2 preface close the connection", routes, async ({ connect }) => {
  const tunnel = connect().send("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n");
  await tunnel.untilClosed();
  assert.equal(tunnel.text, "");
  const preface = connect().send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  await preface.until((client) => client.closed, "end");
  assert.doesNotMatch(preface.text, /^HTTP\/1\.1 2/);
});

testOnWire(
  "headers named after Object.prototype reach the handler in a map without a prototype",
  routes,
  async ({ send }) => {
    const response = await send(
      get("__proto__: a\r\nconstructor: b\r\nhasOwnProperty: c\r\n", "GET /headers HTTP/1.1"),
    );
    assert.deepEqual(JSON.parse(response.body), ["host", "__proto__", "constructor", "hasownproperty"]);
  },
);

testOnWire("Transfer-Encoding is read in any case, and the next request is handled", routes, async ({ connect }) => {
  const client = connect();
  client.send(post("Transfer-Encoding: ChuNKed\r\n", "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n") + get(""));
  const responses = await client.responses(2);
  assert.deepEqual(
    responses.map((response) => response.body),
    ['{"body":"abcde"}', '{"path":"/","host":"localhost"}'],
  );
});

test("a target with blanks, control characters or bytes above ASCII is refused, whatever the parser accepts", () => {
  const settings = toHttpSettings({});
  const see = (url: string) => inspect({ method: "GET", url, httpVersion: "1.1", rawHeaders: ["Host", "a"] }, settings);
  for (const character of ["\0", "\t", "\r", "\n", " ", "\x7f", "\x80", "\xff"]) {
    for (const target of [`/${character}`, `/a?b=${character}`, `http://a/${character}`]) {
      assert.deepEqual(see(target), { status: 400, reason: "request target" }, JSON.stringify(target));
    }
  }
  assert.equal("path" in see("/!~?!~"), true);
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

testOnWire("a valid Host does not make a later invalid one acceptable", routes, async ({ connect }) => {
  const accepted = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const bad of ["Host: local host\r\n", "Host: \r\n", "Host: localhost, localhost\r\n", ""]) {
    const client = connect().send(accepted).send(accepted).send(`GET / HTTP/1.1\r\n${bad}\r\n`);
    const responses = await client.untilClosed();
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 400],
    );
  }
});

testOnWire("a request without a Host does not make a later empty one acceptable", routes, async ({ connect }) => {
  const first = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  const responses = await connect().send(first).send("GET / HTTP/1.1\r\nHost: \r\n\r\n").untilClosed();
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 400],
  );
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

test("more singleHeaders than there are bits for stop the start", async () => {
  const options = { singleHeaders: Array<string>(25).fill("x") };
  await assert.rejects(createTestApp(moduleOf([]), api(options)), { name: "StartError" });
});
