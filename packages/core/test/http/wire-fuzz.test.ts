import assert from "node:assert/strict";
import { type Context, dto, string } from "@tenon/core";
import { fuzzBytes, isFault, statusesOf } from "../support/byte-fuzz.ts";
import { seeded } from "../support/seed.ts";
import { testOnWire } from "../support/wire.ts";

const routes = [
  { method: "GET" as const, path: "/a/:id", handler: (ctx: Context) => ({ id: ctx.param("id"), q: ctx.query("q") }) },
  { method: "POST" as const, path: "/bind", handler: (ctx: Context) => ctx.bind(dto({ a: string("required") })) },
  { method: "POST" as const, path: "/unread", handler: () => "unread" },
  { method: "GET" as const, path: "/file/*", handler: (ctx: Context) => ctx.param("*") },
];

const host = "Host: localhost\r\n";
const corpus = [
  `GET /a/1?q=2 HTTP/1.1\r\n${host}Accept: */*\r\nCookie: a=b; c=d\r\n\r\n`,
  `POST /bind HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":"x"}`,
  `POST /bind HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n4\r\n"x"}\r\n0\r\nX-T: y\r\n\r\n`,
  `POST /unread HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello`,
  `GET http://localhost/file/a%2Fb HTTP/1.0\r\n${host}Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  `HEAD /a/b HTTP/1.1\r\n${host}Authorization: Bearer x\r\nX-API-Key: y\r\n\r\n`,
];

// the long form is part W2 of reliability/, with the reference service
testOnWire(
  "any bytes get a response or a closed connection, never an unexpected 5xx, and the server keeps serving",
  routes,
  async (wire) => {
    const { seed, numRuns } = seeded("bytes on the wire", { fast: 600, full: 600 });
    const faults: string[] = [];
    await fuzzBytes({
      ports: [wire.port],
      corpus,
      connections: numRuns,
      seed,
      onResults: ([result]) => {
        if (result === undefined) return;
        const wrong = result.hung ? "hung" : statusesOf(result).filter(isFault).join(" ");
        if (wrong !== "") faults.push(`${wrong}: ${JSON.stringify(result.sent.toString("latin1"))}`);
      },
    });
    assert.deepEqual(faults, []);
    const response = await wire.send(corpus[0] ?? "");
    assert.equal(response.body, '{"id":"1","q":"2"}');
    assert.deepEqual(wire.log.messages("error"), []);
  },
);
