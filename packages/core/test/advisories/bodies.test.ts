import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { type Context, dto, endpoint, string } from "@tenon/core";
import { anything } from "../support/anything.ts";
import { testOnBothTransports } from "../support/transports.ts";
import { testOnWire, type Wire } from "../support/wire.ts";
import { chunked, post } from "../support/wire-case.ts";

const NameDTO = dto({ name: string("required", "min=3") });
const seen: unknown[] = [];
const note = (value: unknown) => {
  seen.push(value);
  return value;
};
const routes = [
  { method: "POST" as const, path: "/bind", handler: async (ctx: Context) => note(await ctx.bind(NameDTO)) },
  { method: "POST" as const, path: "/endpoint", handler: endpoint({ body: NameDTO }, (_, { body }) => note(body)) },
];

async function postRaw(wire: Wire, path: string, type: string, body: string): Promise<number> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}Content-Length: ${body.length}\r\n\r\n`;
  return (await wire.send(Buffer.from(head + body, "latin1"))).status;
}

testOnWire(
  "a body is validated or refused, however its content type is written (B1, Fastify CVE-2025-32442, CVE-2026-25223, CVE-2026-3419, CVE-2026-33806)",
  routes,
  async (wire) => {
    const types = [
      "application/json",
      "Application/JSON",
      "application/json ;",
      " application/json",
      "application/json; charset=utf-8",
      "application/json\ta",
      "application/json garbage",
      "application/json;",
      "application/json,text/plain",
      "application/json\x0b",
      "application/json\xa0",
      "application/jsonx",
      "text/json",
      "application/x+json",
      "",
    ];
    for (const path of ["/bind", "/endpoint"]) {
      for (const type of types) {
        seen.length = 0;
        const wrong = await postRaw(wire, path, `Content-Type: ${type}\r\n`, '{"name":"x"}');
        assert.equal(wrong, 400, `${path} ${JSON.stringify(type)}`);
        assert.deepEqual(seen, [], `${path} ${JSON.stringify(type)}`);
      }
      assert.equal(await postRaw(wire, path, "", '{"name":"x"}'), 400, "no content type");
      assert.equal(await postRaw(wire, path, "Content-Type: Application/JSON ;\r\n", '{"name":"Ada"}'), 200);
      assert.deepEqual(seen.splice(0), [{ name: "Ada" }]);
    }
  },
);

testOnWire(
  "form types and types named after Object.prototype are never read as JSON (B2, Fastify CVE-2022-41919, CVE-2022-39288)",
  routes,
  async (wire) => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/plain; application/json",
      "text/plain;a=application/json",
      "__proto__",
      "__proto__/json",
      "constructor",
      "constructor/prototype",
      "toString",
    ]) {
      assert.equal(await postRaw(wire, "/bind", `Content-Type: ${type}\r\n`, '{"name":"Ada"}'), 400, type);
    }
    assert.deepEqual(wire.log.messages("error"), []);
  },
);

const size = {
  method: "POST" as const,
  path: "/auth/refresh",
  handler: async (ctx: Context) => (await ctx.request().body()).length,
};
const mebibyte = 2 ** 20;

testOnWire(
  "the limit counts the bytes received, not those announced (B4, Hono CVE-2026-44456, CVE-2025-59139, h3 708a3aad)",
  [size],
  async ({ untilClosed, connect }) => {
    const piece = "a".repeat(65_536);
    const pieces = `10000\r\n${piece}\r\n`.repeat(16);
    for (const bytes of [
      chunked(`${pieces}1\r\na\r\n0\r\n\r\n`),
      chunked(pieces.repeat(4)),
      post(`Content-Length: ${mebibyte + 1}\r\n`, piece),
    ]) {
      const responses = await untilClosed(bytes);
      assert.deepEqual(
        responses.map((response) => [response.status, response.headers.get("connection")]),
        [[413, "close"]],
      );
    }
    for (const whole of [chunked(`${pieces}0\r\n\r\n`), post(`Content-Length: ${mebibyte}\r\n`, piece.repeat(16))]) {
      const [response] = await connect().send(whole).responses(1);
      assert.equal(response?.body, String(mebibyte));
    }
    const understated = await untilClosed(post("Content-Length: 3\r\n", "abcdef\r\n\r\n"));
    assert.deepEqual(
      understated.map((response) => [response.status, response.body]),
      [
        [200, "3"],
        [400, '{"error":"Bad Request"}'],
      ],
      "the rest is not a request",
    );
    const none = await connect().send(post("")).responses(1);
    assert.equal(none[0]?.body, "0");
  },
);

testOnBothTransports(
  "JSON nests at most 64 levels deep, and deeper is 400 before any recursion (B6, Hono GHSA-g6gw-c38x-mqfc, multer CVE-2026-5079)",
  [{ method: "POST" as const, path: "/", handler: (ctx: Context) => ctx.bind(anything) }],
  async (call) => {
    const bind = async (body: string) => {
      const response = await call("POST", "/", { headers: { "content-type": "application/json" }, body });
      return [response.status, await response.text()];
    };
    const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    assert.equal((await bind(nest(64)))[0], 200);
    for (const body of [nest(65), nest(200_000), "[".repeat(500_000), '{"a":'.repeat(150_000)]) {
      assert.deepEqual(await bind(body), [400, '{"error":"Invalid request"}']);
    }
  },
);

testOnBothTransports(
  "invalid JSON is 400 wherever it is bound (B11, h3 aa46942a)",
  [
    ...routes,
    { method: "POST" as const, path: "/any", handler: (ctx: Context) => ctx.bind(anything) },
    {
      path: "/group",
      children: [{ method: "PUT" as const, path: "/endpoint", handler: endpoint({ body: NameDTO }, () => "ok") }],
    },
  ],
  async (call, _, log) => {
    for (const [method, path] of [
      ["POST", "/bind"],
      ["POST", "/endpoint"],
      ["POST", "/any"],
      ["PUT", "/group/endpoint"],
    ] as const) {
      for (const body of ["{", "", "nul", '{"name":"Ada"', '{"name":"Ada"} x', new Uint8Array([0xff, 0xfe])]) {
        const response = await call(method, path, { headers: { "content-type": "application/json" }, body });
        assert.deepEqual(
          [response.status, await response.json()],
          [400, { error: "Invalid request" }],
          `${path} ${body}`,
        );
      }
    }
    assert.deepEqual(log.messages("error"), []);
  },
);

testOnWire("a compressed body is refused with 415 and never decompressed (B12)", [size], async ({ untilClosed }) => {
  const bomb = gzipSync(Buffer.alloc(8 * mebibyte)).toString("latin1");
  for (const encoding of ["gzip", "GZIP", "br", "deflate", "zstd", "x-gzip", "identity", ""]) {
    const bytes = post(`Content-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n`, bomb);
    const responses = await untilClosed(Buffer.from(bytes, "latin1"));
    assert.deepEqual(
      responses.map((response) => response.status),
      [415],
      encoding,
    );
  }
});
