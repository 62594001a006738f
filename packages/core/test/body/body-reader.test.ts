import assert from "node:assert/strict";
import { array, type Context, dto, endpoint, string } from "@tenon/core";
import { testOnBothTransports } from "../support/transports.ts";
import { type RawClient, testOnWire } from "../support/wire.ts";

const routes = [
  { method: "POST" as const, path: "/bind", handler: (ctx: Context) => ctx.bind(dto({ a: string("required") })) },
];

testOnBothTransports("JSON nested 65 or 200,000 levels deep is 400", routes, async (call) => {
  const headers = { "content-type": "application/json" };
  for (const depth of [200_000, 65]) {
    const body = `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    const res = await call("POST", "/bind", { headers, body });
    assert.deepEqual([res.status, await res.json()], [400, { error: "Invalid request" }]);
  }
});

testOnBothTransports("a JSON body is validated, however its content type is written", routes, async (call) => {
  for (const type of [
    "Application/JSON",
    "application/json ;",
    "application/json;charset=utf-8",
    "application/x+json",
  ]) {
    const wrong = await call("POST", "/bind", { headers: { "content-type": type }, body: '{"a":1}' });
    assert.equal(wrong.status, 400, type);
    const right = await call("POST", "/bind", { headers: { "content-type": type }, body: '{"a":"x"}' });
    assert.deepEqual(await right.json(), { a: "x" }, type);
  }
});

testOnBothTransports("forms and text are not read as JSON", routes, async (call) => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "__proto__/json", "constructor/prototype"]) {
    const res = await call("POST", "/bind", { headers: { "content-type": type }, body: '{"a":"x"}' });
    assert.equal(res.status, 400, type);
  }
});

testOnBothTransports("60,000 keys that look like array indices are read", routes, async (call) => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `"${index * 4_294_967}":0`);
  const body = `{"a":"x",${keys.join(",")}}`;
  const res = await call("POST", "/bind", { headers: { "content-type": "application/json" }, body });
  assert.deepEqual([res.status, await res.json()], [200, { a: "x" }]);
});

testOnBothTransports(
  "a handler that does not await a body over the limit does not crash the process",
  [
    {
      method: "POST",
      path: "/",
      handler: (ctx: Context) => {
        void ctx.request().body();
        return "done";
      },
    },
  ],
  async (call) => {
    assert.equal((await call("POST", "/", { body: "x".repeat(100) })).status, 200);
    assert.equal((await call("POST", "/", { body: "x" })).status, 200);
  },
  { limits: { body: 10 } },
);

const megabyte = 2 ** 20;
const arrived = Promise.withResolvers<void>();
const handling: (() => void)[] = [];
const sizes = endpoint(
  { body: array(string()), returns: { 200: dto({ size: string("required") }) } },
  (_, { body }) => ({
    size: String(body[0]?.length),
  }),
);
const uploads = [
  { method: "POST" as const, path: "/size", handler: sizes },
  {
    method: "POST" as const,
    path: "/slow",
    handler: async (ctx: Context) => {
      await ctx.request().body();
      arrived.resolve();
      await new Promise<void>((resolve) => handling.push(resolve));
      return "done";
    },
  },
];

/** Sends a body of 1 MB except for its last bytes. */
function sendMost(client: RawClient, path: string, rest = 1): RawClient {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  return client.send(`${head}Content-Length: ${megabyte}\r\n\r\n["${"x".repeat(megabyte - 4 - rest)}`);
}

testOnWire(
  "past limits.bodyBytesTotal the bodies that have been arriving for the longest time get 503, and no others",
  uploads,
  async ({ connect, log }) => {
    const first = sendMost(connect(), "/size");
    const second = sendMost(connect(), "/size");
    sendMost(connect(), "/size");
    const refused = await Promise.race([first, second].map((client) => client.untilClosed()));
    assert.deepEqual(
      refused.map(({ status, headers, body }) => [status, headers.get("retry-after"), body]),
      [[503, "1", '{"error":"Service Unavailable"}']],
    );
    for (let round = 0; round < 4; round++) {
      const [sent] = await sendMost(connect(), "/size", 0).send('"]').responses(1);
      assert.equal(sent?.status, 200, "a client that sends the whole body");
    }
    assert.match(JSON.stringify(log.all), /limits\.bodyBytesTotal/);
  },
  { limits: { body: megabyte, bodyBytesTotal: 2.5 * megabyte } },
);

testOnWire(
  "a body counts until its handler has responded, and one body alone may be larger than limits.bodyBytesTotal",
  uploads,
  async ({ connect }) => {
    const slow = sendMost(connect(), "/slow", 0).send('"]');
    await arrived.promise;
    const [refused] = await sendMost(connect(), "/size", 0).send('"]').untilClosed();
    assert.equal(refused?.status, 503);
    for (const respond of handling) respond();
    await slow.responses(1);
    const [sent] = await sendMost(connect(), "/size", 0).send('"]').responses(1);
    assert.equal(sent?.status, 200);
  },
  { limits: { body: megabyte, bodyBytesTotal: megabyte / 2 } },
);
