import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { type Context, dto, string } from "@tenon/core";
import { Gate, request } from "../support/gate.ts";
import { leastMillisecondsOf } from "../support/time.ts";
import { RawClient, testOnWire } from "../support/wire.ts";

const prototypeOf = {
  method: "GET" as const,
  path: "/headers",
  handler: (ctx: Context) => {
    const headers = ctx.request().headers();
    return { prototype: Object.getPrototypeOf(headers), names: Object.keys(headers), value: ctx.header("constructor") };
  },
};

testOnWire(
  "H6 Node CVE-2026-21710: the map of headers has no prototype, and what is missing from it is missing",
  [prototypeOf],
  async ({ ask }) => {
    const hostile = await ask(request("/headers", "__proto__: a\r\nconstructor: b\r\nhasOwnProperty: c\r\n"));
    assert.deepEqual(JSON.parse(hostile.body), {
      prototype: null,
      names: ["host", "__proto__", "constructor", "hasownproperty"],
      value: "b",
    });
    const plain = await ask(request("/headers"));
    assert.deepEqual(JSON.parse(plain.body), { prototype: null, names: ["host"], value: "" });
  },
);

const slow = 300;
const patient = new Gate();
testOnWire(
  "H7 Node CVE-2018-12121, CVE-2019-5737, CVE-2020-8251, CVE-2021-22883: 900 clients that never finish are let go, and others are served meanwhile",
  patient.routes,
  async (wire) => {
    const starts = [
      "GET /fast/1 HTTP/1.1\r\nX-A: ",
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
      "",
    ];
    const clients = starts.flatMap((start) =>
      Array.from({ length: slow }, () => {
        const client = wire.connect();
        return start === "" ? client : client.send(start);
      }),
    );
    const drip = setInterval(() => {
      for (const client of clients.slice(0, 2 * slow)) if (!client.closed) client.send("a");
    }, 200);
    try {
      await Promise.all(clients.map((client) => once(client.socket, "connect")));
      for (let round = 0; round < 20; round++) assert.equal((await wire.ask(request("/fast/1"))).status, 200);
      await Promise.all(clients.map((client) => client.until(({ closed }) => closed, "end")));
    } finally {
      clearInterval(drip);
    }
    assert.equal((await wire.ask(request("/fast/1"))).status, 200);
  },
  { limits: { headerTimeout: 1000, requestTimeout: 1000, bodyTimeout: 1000 }, middlewares: [] },
);

const bind = {
  method: "POST" as const,
  path: "/bind",
  handler: (ctx: Context) => ctx.bind(dto({ a: string() })),
};
const query = { method: "GET" as const, path: "/query", handler: (ctx: Context) => ctx.query("a") };

/** As many numbers, each so many after the one before, as one text of this size holds. */
function numbers(step: number, size: number, toText: (number: number) => string, separator: string): string {
  const parts: string[] = [];
  for (let number = 0, length = 0; ; number += step) {
    const text = toText(number % 2 ** 32);
    length += text.length + separator.length;
    if (length > size) return parts.join(separator);
    parts.push(text);
  }
}

testOnWire(
  "H8 Node CVE-2025-27209, CVE-2026-21717: a body and a query full of colliding numbers take no longer than others",
  [bind, query],
  async ({ url }) => {
    const headers = { "content-type": "application/json" };
    const post = async (json: string) => {
      const reply = await fetch(`${url}/bind`, { method: "POST", body: json, headers });
      assert.equal(reply.status, 200);
      await reply.bytes();
    };
    const ask = async (text: string) => assert.equal((await fetch(`${url}/query?${text}`)).status, 200);
    const json = (step: number) => `{${numbers(step, 2 ** 20 - 64, (number) => `"${number}":0`, ",")}}`;
    const search = (step: number) => numbers(step, 7000, String, "&").split("&").slice(0, 1000).join("&");
    const words = `{${numbers(1, 2 ** 20 - 64, (number) => `"x${number}":0`, ",")}}`;
    const baseline = await leastMillisecondsOf(() => post(words), 3);
    for (const step of [1, 2 ** 16, 2 ** 24 + 1]) {
      const [body, text] = [json(step), search(step)];
      const took = await leastMillisecondsOf(() => post(body), 3);
      assert.ok(took < 20 * baseline, `a body of numbers ${step} apart took ${took} ms, one of words ${baseline} ms`);
      assert.ok((await leastMillisecondsOf(() => ask(text), 3)) < 20 * baseline);
    }
  },
);

const recursion = {
  method: "POST" as const,
  path: "/recurse",
  handler: (ctx: Context) =>
    new AsyncLocalStorage<Context>().run(ctx, () => {
      const dive = (depth: number): number => dive(depth + 1) + 1;
      return dive(0);
    }),
};

testOnWire(
  "H9 Node CVE-2025-59466: a stack that overflows under AsyncLocalStorage is a 500, and the process lives on",
  [recursion, bind, query],
  async ({ url, log }) => {
    for (let round = 0; round < 5; round++) {
      assert.equal((await fetch(`${url}/recurse`, { method: "POST" })).status, 500);
    }
    assert.deepEqual(new Set(log.causes()), new Set(["Maximum call stack size exceeded"]));
    const deep = await fetch(`${url}/bind`, { method: "POST", body: "[".repeat(200_000) });
    assert.equal(deep.status, 400);
    assert.equal((await fetch(`${url}/query`)).status, 200);
  },
);

const toElsewhere = {
  method: "GET" as const,
  path: "/away",
  handler: (ctx: Context) => ctx.redirect("/login"),
};

testOnWire(
  "H12 Koa CVE-2026-27959, h3 2b59a3aa, chi GHSA-vrw8-fxc6-2r93: no reply repeats the Host of its request",
  [toElsewhere, recursion],
  async ({ ask }) => {
    for (const path of ["/away", "/nowhere"]) {
      const reply = await ask(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
      const head = JSON.stringify([...reply.headers]);
      assert.ok(!head.includes("evil.example") && !reply.body.includes("evil.example"), head);
    }
    const away = await ask("GET http://evil.example/away HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert.equal(away.headers.get("location")?.trim(), "/login");
  },
);

const upgrading = new Gate();
testOnWire(
  "H16 upgrades: what comes in pieces behind an upgrade is never read as a request of its own",
  upgrading.routes,
  async (wire) => {
    const upgrade = request("/fast/1", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    const hidden = `POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${request("/fast/2").length}\r\n\r\n`;
    const client = wire.connect().send(upgrade + hidden);
    await client.until(({ text }) => text.includes('"1"'), "reply");
    client.send(request("/fast/2")); // the body of the request that the parser threw away
    const replies = await client.untilClosed();
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.headers.get("connection")]),
      [[200, "close"]],
    );
    assert.deepEqual(upgrading.handled, ["1"]);
  },
);

const pipelined = new Gate();
testOnWire(
  "H17 pipelining: three replies keep their order though the first is the slowest",
  pipelined.routes,
  async (wire) => {
    const client = wire.connect().send(request("/slow") + request("/fast/1") + request("/fast/2"));
    await pipelined.until(1);
    pipelined.open();
    const replies = await client.replies(3);
    assert.deepEqual(
      replies.map((reply) => reply.body),
      ['"slow"', '"1"', '"2"'],
    );
  },
);

const flooded = new Gate();
testOnWire(
  "H17 pipelining: no reply is made for a client that does not read the ones before",
  flooded.routes,
  async ({ port }) => {
    const client = new RawClient(port);
    try {
      await once(client.socket, "connect");
      client.socket.pause();
      client.send(request("/large").repeat(60)); // a megabyte each
      await flooded.until(1);
      // as many as the sockets of both sides hold; a server that does not wait makes all sixty in these rounds
      for (let round = 0; round < 200; round++) await new Promise(setImmediate);
      assert.ok(flooded.handled.length < 40, `${flooded.handled.length} replies were made`);
      client.socket.resume();
      await client.until(({ text }) => text.length > 60 * 1024 * 1024, "60 replies");
    } finally {
      client.socket.destroy();
    }
  },
);
