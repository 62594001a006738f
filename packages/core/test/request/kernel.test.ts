import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { api, type Context, HttpError, type Route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import type { LogOptions } from "../../src/log/log.ts";
import { Router } from "../../src/route/router.ts";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const get = (path: string, handler: (ctx: Context) => unknown): Route => ({ method: "GET", path, handler });
const fail = (error: unknown) => () => {
  throw error;
};
const bare = { error: "Internal Server Error" };

testOnBothTransports(
  "a thrown HttpError responds with its status, message and headers",
  [
    get("/sync", fail(new HttpError(404, "Post not found"))),
    get("/async", async () => {
      throw new HttpError(429, "Too Many Requests", { headers: { "Retry-After": "7" } });
    }),
    get("/server", fail(new HttpError(503, "store unavailable", { cause: new Error("ECONNREFUSED 10.0.0.1") }))),
  ],
  async (call, _app, log) => {
    const sync = await call("GET", "/sync");
    assert.deepEqual([sync.status, await sync.json()], [404, { error: "Post not found" }]);
    const limited = await call("GET", "/async");
    assert.deepEqual([limited.status, await limited.json()], [429, { error: "Too Many Requests" }]);
    assert.equal(limited.headers.get("retry-after"), "7");
    assert.deepEqual(log.messages("error"), [], "a client error is not logged as an error");
    const server = await call("GET", "/server");
    assert.deepEqual([server.status, await server.json()], [503, { error: "store unavailable" }]);
    assert.deepEqual(log.messages("error"), ["GET /server failed"]);
  },
);

const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const unwritable: readonly [path: string, value: unknown, cause: RegExp][] = [
  ["/bigint", 1n, /BigInt/],
  ["/deep-bigint", { a: [1n] }, /BigInt/],
  ["/cycle", cycle, /circular/],
  ["/function", () => 1, /^a value of type function cannot be written as JSON$/],
  ["/symbol", Symbol("s"), /^a value of type symbol cannot be written as JSON$/],
  [
    "/throws",
    {
      toJSON() {
        throw new Error("no JSON today");
      },
    },
    /^no JSON today$/,
  ],
];
testOnBothTransports(
  "a value that cannot be written as JSON is a 500 with its cause in the log, and the application keeps serving",
  [
    ...unwritable.map(([path, value]) => get(path, () => value)),
    get("/undefined", (ctx) => ctx.status(200).json(undefined)),
    get("/late", async () => 1n),
    get("/fine", () => "alive"),
  ],
  async (call, _app, log) => {
    for (const [path, , cause] of [
      ...unwritable,
      ["/undefined", undefined, /^a value of type undefined cannot be written as JSON$/] as const,
      ["/late", undefined, /BigInt/] as const,
    ]) {
      const response = await call("GET", path);
      assert.deepEqual([response.status, await response.json()], [500, bare], path);
      assert.match(log.causes().at(-1) ?? "", cause);
    }
    assert.equal((await call("GET", "/fine")).status, 200);
  },
);

testOnBothTransports(
  "thenables are awaited, with and without a middleware around them",
  [
    get("/plain", () => thenable((resolve) => resolve({ a: 1 }))),
    { ...get("/around", () => thenable((resolve) => resolve("x"))), middlewares: [(_, next) => next()] },
    get("/rejects", () => thenable((_, reject) => reject(new HttpError(409, "Conflict")))),
  ],
  async (call) => {
    assert.deepEqual(await (await call("GET", "/plain")).json(), { a: 1 });
    assert.deepEqual(await (await call("GET", "/around")).json(), "x");
    assert.equal((await call("GET", "/rejects")).status, 409);
  },
);

function thenable(start: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): object {
  // biome-ignore lint/suspicious/noThenProperty: query builders are such objects, and handlers return them
  return { then: start };
}

testOnBothTransports(
  "a hook that fails is a 500, and so is one that fails again for the error response",
  [
    get("/once", (ctx) => {
      let calls = 0;
      ctx.onReply(() => {
        if (calls++ === 0) throw new Error("hook failed");
      });
      return 1;
    }),
    get("/always", (ctx) => {
      ctx.onReply(() => {
        throw new Error("hook fails");
      });
      return 1;
    }),
    get("/header", fail(new HttpError(400, "x", { headers: { "bad name": "x" } }))),
  ],
  async (call, _app, log) => {
    for (const path of ["/once", "/always", "/header"]) {
      const response = await call("GET", path);
      assert.deepEqual([response.status, await response.json()], [500, bare], path);
    }
    assert.deepEqual(log.messages("error"), [
      "GET /once failed",
      "GET /always failed",
      "the error response could not be made",
      "the error response could not be made",
    ]);
  },
);

testOnBothTransports(
  "HttpError accepts only statuses from 400 to 599",
  [get("/:status", (ctx) => Promise.reject(new HttpError(Number(ctx.param("status")), "x")))],
  async (call, _app, log) => {
    for (const status of [400, 599]) assert.equal((await call("GET", `/${status}`)).status, status);
    for (const status of [200, 302, 399, 600]) assert.equal((await call("GET", `/${status}`)).status, 500);
    assert.equal(log.causes().at(-1), "HttpError takes a status from 400 to 599, not 600");
  },
);

test("a log destination that throws changes no response", async () => {
  const broken: LogOptions = { level: "info", destination: { write: fail(new Error("the disk is full")) } };
  const routes = [get("/value", () => 1), get("/error", fail(new Error("x")))];
  const app = await createTestApp(moduleOf(routes), api(), { log: broken });
  try {
    assert.equal((await app.request("GET", "/error")).status, 500);
    const response = await app.request("GET", "/value");
    assert.deepEqual([response.status, await response.json()], [200, 1]);
  } finally {
    await app.stop();
  }
});

testOnBothTransports(
  "an exception in the route table is a 500 with its cause in the log, and only a malformed path is a 400",
  [get("/value", () => 1), get("/posts/:id", () => 1)],
  async (call, _, log) => {
    for (const path of ["/%", "/posts/%ff", "/%zz/x"]) {
      const response = await call("GET", path);
      assert.deepEqual([response.status, await response.json()], [400, { error: "Bad Request" }], path);
    }
    assert.deepEqual(log.messages("error"), []);
    const broken = mock.method(Router.prototype, "resolve", () => {
      throw new TypeError("the router is broken");
    });
    try {
      const response = await call("GET", "/value");
      assert.deepEqual([response.status, await response.json()], [500, bare]);
    } finally {
      broken.mock.restore();
    }
    assert.deepEqual(log.messages("error"), ["GET /value failed"]);
    assert.deepEqual(log.causes(), ["the router is broken"]);
  },
);

test("refusals with Retry-After are one log line a second with their number, and a 503 with a cause is a line of its own", async (t) => {
  const log = new LogLines();
  const headers = { "retry-after": "1" };
  const busy = new HttpError(503, "Service Unavailable", { headers, cause: "the queue is full" });
  const routes = [
    get("/busy", fail(busy)),
    get("/specified", fail(new HttpError(500, "Failed to save", { cause: busy }))),
    get("/down", fail(new HttpError(503, "store unavailable", { headers, cause: new Error("no route to host") }))),
    get("/closed", fail(new HttpError(503, "Closed"))),
    get("/full", fail(new HttpError(503, "No places left", { headers }))),
  ];
  const app = await createTestApp(moduleOf(routes), api(), { log: log.options });
  await app.start();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  try {
    for (const path of ["/busy", "/busy", "/specified", "/down", "/closed"])
      assert.equal((await app.request("GET", path)).status, path === "/specified" ? 500 : 503);
    assert.deepEqual(log.messages("error"), ["GET /down failed", "GET /closed failed"]);
    t.mock.timers.tick(1000);
    const line = log.all.at(-1);
    assert.deepEqual([line?.refused, line?.reason, line?.err], [3, "the queue is full", undefined]);
    t.mock.timers.tick(5000);
    assert.equal(log.messages("error").length, 3);
    await app.request("GET", "/full");
    t.mock.timers.tick(1000);
    assert.deepEqual([log.all.at(-1)?.refused, log.all.at(-1)?.reason], [1, "No places left"]);
  } finally {
    t.mock.timers.reset();
    await app.stop();
  }
});
