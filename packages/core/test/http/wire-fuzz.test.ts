import assert from "node:assert/strict";
import { type Context, dto, string } from "@tenon/core";
import fc from "fast-check";
import { seeded } from "../support/seed.ts";
import { RawClient, testOnWire } from "../support/wire.ts";

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
const splinters = [
  "\r\n",
  "\n",
  "\0",
  ": ",
  " ",
  "\t",
  "%",
  "%00",
  "chunked",
  "0\r\n\r\n",
  "Content-Length: 5\r\n",
  "\xff",
  "{".repeat(99),
];

interface Mutation {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat({ max: 12 }),
  insert: fc.oneof(fc.constantFrom("", ...splinters), fc.string({ unit: "binary-ascii", maxLength: 6 })),
});

function mutate(text: string, mutations: readonly Mutation[]): string {
  return mutations.reduce((bytes, { at, remove, insert }) => {
    const index = Math.floor(at * bytes.length);
    return bytes.slice(0, index) + insert + bytes.slice(index + remove);
  }, text);
}

testOnWire(
  "whatever is sent is answered or closed, never with 5xx of our own making, and the server goes on",
  routes,
  async (wire) => {
    const requests = fc
      .array(fc.constantFrom(...corpus), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join(""));
    const property = fc.asyncProperty(requests, fc.array(mutation, { maxLength: 4 }), async (text, mutations) => {
      const client = new RawClient(wire.port);
      try {
        client.socket.end(Buffer.from(mutate(text, mutations), "latin1"));
        await client.until(({ closed }) => closed, "end of the connection");
        const statuses = [...client.text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map((match) => Number(match[1]));
        assert.deepEqual(
          statuses.filter((status) => status >= 500 && status !== 501 && status !== 505),
          [],
        );
      } finally {
        client.socket.destroy();
      }
    });
    await fc.assert(property, seeded("bytes on the wire", { fast: 300, full: 50_000 }));
    const [reply] = await wire
      .connect()
      .send(corpus[0] ?? "")
      .replies(1);
    assert.equal(reply?.body, '{"id":"1","q":"2"}');
    assert.deepEqual(wire.log.messages("error"), []);
  },
);
