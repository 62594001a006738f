import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { type Context, dto, string } from "@tenon/core";
import { Gate, request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

const prototypeOf = {
  method: "GET" as const,
  path: "/headers",
  handler: (ctx: Context) => {
    const headers = ctx.request().headers();
    return { prototype: Object.getPrototypeOf(headers), names: Object.keys(headers), value: ctx.header("constructor") };
  },
};

testOnWire(
  "the header map has no prototype, and a missing header is undefined (H6, Node CVE-2026-21710)",
  [prototypeOf],
  async ({ send }) => {
    const hostile = await send(request("/headers", "__proto__: a\r\nconstructor: b\r\nhasOwnProperty: c\r\n"));
    assert.deepEqual(JSON.parse(hostile.body), {
      prototype: null,
      names: ["host", "__proto__", "constructor", "hasownproperty"],
      value: "b",
    });
    const plain = await send(request("/headers"));
    assert.deepEqual(JSON.parse(plain.body), { prototype: null, names: ["host"], value: "" });
  },
);

const slow = 300;
const patient = new Gate();
testOnWire(
  "900 clients that never finish are closed, and others are served meanwhile (H7, Node CVE-2018-12121, CVE-2019-5737, CVE-2020-8251, CVE-2021-22883)",
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
      for (let round = 0; round < 20; round++) assert.equal((await wire.send(request("/fast/1"))).status, 200);
      await Promise.all(clients.map((client) => client.until(({ closed }) => closed, "end")));
    } finally {
      clearInterval(drip);
    }
    assert.equal((await wire.send(request("/fast/1"))).status, 200);
  },
  { limits: { headerTimeout: 2000, requestTimeout: 2000, bodyTimeout: 2000 }, middlewares: [] },
);

const bind = {
  method: "POST" as const,
  path: "/bind",
  handler: (ctx: Context) => ctx.bind(dto({ a: string() })),
};
const query = { method: "GET" as const, path: "/query", handler: (ctx: Context) => ctx.query("a") };

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
  "a stack overflow under AsyncLocalStorage is a 500, and the process does not crash (H9, Node CVE-2025-59466)",
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
  "no response repeats the Host of its request (H12, Koa CVE-2026-27959, h3 2b59a3aa, chi GHSA-vrw8-fxc6-2r93)",
  [toElsewhere, recursion],
  async ({ send }) => {
    for (const path of ["/away", "/nowhere"]) {
      const response = await send(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
      const head = JSON.stringify([...response.headers]);
      assert.ok(!head.includes("evil.example") && !response.body.includes("evil.example"), head);
    }
    const away = await send("GET http://evil.example/away HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert.equal(away.headers.get("location")?.trim(), "/login");
  },
);

const upgrading = new Gate();
testOnWire("bytes sent after an upgrade are never read as a request (H16)", upgrading.routes, async (wire) => {
  const upgrade = request("/fast/1", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  const hidden = `POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${request("/fast/2").length}\r\n\r\n`;
  const client = wire.connect().send(upgrade + hidden);
  await client.until(({ text }) => text.includes('"1"'), "response");
  client.send(request("/fast/2")); // the body of the hidden request, whose head the parser discarded
  const responses = await client.untilClosed();
  assert.deepEqual(
    responses.map((response) => [response.status, response.headers.get("connection")]),
    [[200, "close"]],
  );
  assert.deepEqual(upgrading.handled, ["1"]);
});
