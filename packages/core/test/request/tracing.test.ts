import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { api, type Context, HttpError, type Next, type Routes, route } from "@tenon/core";
import { requestStore, trace } from "@tenon/core/internal";
import type { TracedHandler, TracedMiddleware, TracedOutcome, TracedRequest, Tracing } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const requestTracing: Tracing<TracedRequest> = tracingChannel("tenon.request");
const middlewareTracing: Tracing<TracedMiddleware> = tracingChannel("tenon.middleware");
const handlerTracing: Tracing<TracedHandler> = tracingChannel("tenon.handler");

const steps = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;

/** Notes the steps of an operation while `run` runs. */
async function watch<Payload extends TracedOutcome, T>(
  tracing: Tracing<Payload>,
  note: (step: string, payload: Payload) => void,
  run: () => Promise<T>,
): Promise<T> {
  const subscribers = Object.fromEntries(steps.map((step) => [step, (payload: Payload) => note(step, payload)]));
  tracing.subscribe(subscribers);
  try {
    return await run();
  } finally {
    tracing.unsubscribe(subscribers);
  }
}

/** The steps of one operation and what its payload ends with. */
async function stepsOf(run: () => unknown): Promise<unknown[]> {
  const tracing: Tracing<TracedOutcome> = tracingChannel("tenon.test");
  const seen: unknown[] = [];
  const payload: TracedOutcome = {};
  await watch(
    tracing,
    (step) => seen.push(step),
    async () => {
      try {
        await trace(tracing, payload, run);
      } catch (error) {
        seen.push(`threw ${error}`);
      }
    },
  );
  return [...seen, payload];
}

test("an operation is over at asyncEnd, whether it is synchronous or not", async () => {
  const all = ["start", "end", "asyncStart", "asyncEnd"];
  assert.deepEqual(await stepsOf(() => 7), [...all, { result: 7 }]);
  assert.deepEqual(await stepsOf(async () => 7), [...all, { result: 7 }]);
  // biome-ignore lint/suspicious/noThenProperty: some query builders are not promises and have it
  const thenable = { then: (resolve: (value: number) => void) => resolve(7) };
  assert.deepEqual(await stepsOf(() => thenable), [...all, { result: 7 }]);
});

test("an error is published before the end and reaches the caller", async () => {
  const fail = () => {
    throw "broken";
  };
  const sync = ["start", "error", "end", "asyncStart", "asyncEnd", "threw broken", { error: "broken" }];
  assert.deepEqual(await stepsOf(fail), sync);
  const later = ["start", "end", "error", "asyncStart", "asyncEnd", "threw broken", { error: "broken" }];
  assert.deepEqual(await stepsOf(async () => fail()), later);
});

test("a synchronous operation stays synchronous, and a bound store is set while it runs", () => {
  const tracing: Tracing<TracedOutcome> = tracingChannel("tenon.test");
  const storage = new AsyncLocalStorage<unknown>();
  tracing.start.bindStore(storage, () => "inside");
  try {
    assert.equal(
      trace(tracing, {}, () => storage.getStore()),
      "inside",
    );
    assert.equal(storage.getStore(), undefined);
  } finally {
    tracing.start.unbindStore(storage);
  }
});

test("the request store holds its value while a request runs, and what its function throws is uncaught", async (t) => {
  const storage = new AsyncLocalStorage<string>();
  const read: Routes = [{ method: "GET", path: "/", handler: async () => String(storage.getStore()) }];
  const app = await createTestApp(moduleOf(read), api());
  const payloads: TracedRequest[] = [];
  const unbind = requestStore.bind(storage, (payload) => {
    payloads.push(payload);
    return payload.path;
  });
  const subscribers = { asyncEnd: () => {} };
  requestTracing.subscribe(subscribers);
  const ask = async () => (await app.request("GET", "/")).json();
  assert.equal(await ask(), "/");
  assert.equal(storage.getStore(), undefined);
  unbind();
  unbind();
  assert.equal(await ask(), "undefined");
  requestTracing.unsubscribe(subscribers);
  await app.stop();

  const [payload] = payloads;
  assert.ok(payload !== undefined && payloads.length === 1);
  const thrown: (() => void)[] = [];
  t.mock.method(process, "nextTick", (later: () => void) => void thrown.push(later));
  const end = requestStore.bind(storage, () => {
    throw new Error("broken");
  });
  assert.equal(
    requestStore.run(payload, () => 7),
    7,
  );
  end();
  t.mock.restoreAll();
  assert.throws(() => thrown[0]?.(), /broken/);
});

class Guard {
  handle(_: Context, next: Next) {
    return next();
  }
}

const routes: Routes = [
  { method: "GET", path: "/text/:id", handler: () => "é", middlewares: [Guard, (_, next) => next()] },
  { method: "GET", path: "/bytes", handler: async () => new Uint8Array(3) },
  { method: "GET", path: "/stream", handler: () => new Blob(["abc"]).stream() },
  route.get("/broken", function broken() {
    throw new Error("broken");
  }),
  route.get("/teapot", async () => {
    throw new HttpError(418, "I'm a teapot");
  }),
];

testOnBothTransports(
  "a subscriber of tenon.request sees every request of the kernel with its response",
  routes,
  async (call) => {
    const seen: unknown[] = [];
    const note = (step: string, { platform, method, path, route, status, bytes, headers, error }: TracedRequest) => {
      if (step === "start")
        assert.deepEqual([platform, status, bytes, headers], ["api", undefined, undefined, undefined]);
      if (step !== "asyncEnd") return;
      seen.push([method, path, route, status, bytes, headers?.header("content-type"), error instanceof Error]);
    };
    const ids: string[] = [];
    await watch(
      requestTracing,
      (step, payload) => {
        note(step, payload);
        if (step === "asyncEnd") ids.push(payload.requestId);
      },
      async () => {
        for (const path of ["/text/1?q=2", "/bytes", "/stream", "/broken", "/teapot", "/nowhere", "/%zz"]) {
          const response = await call("GET", path, { headers: { "x-request-id": `id${path.length}` } });
          await response.text();
        }
      },
    );
    const json = "application/json; charset=utf-8";
    assert.deepEqual(seen, [
      ["GET", "/text/1", "/text/:id", 200, 4, json, false],
      ["GET", "/bytes", "/bytes", 200, 3, "application/octet-stream", false],
      ["GET", "/stream", "/stream", 200, undefined, "application/octet-stream", false],
      ["GET", "/broken", "/broken", 500, 33, json, true],
      ["GET", "/teapot", "/teapot", 418, 24, json, true],
      ["GET", "/nowhere", undefined, 404, 21, json, true],
      ["GET", "/%zz", undefined, 400, 23, json, true],
    ]);
    assert.equal(ids.length, 7);
    assert.ok(ids.every((id) => id !== ""));
  },
);

testOnBothTransports(
  "subscribers of tenon.middleware and tenon.handler see the chain of a route, outside-in",
  routes,
  async (call) => {
    const seen: string[] = [];
    const noteMiddleware = (step: string, { name, ctx }: TracedMiddleware) => {
      if (step === "start" || step === "asyncEnd") seen.push(`${step} ${name} ${ctx.path}`);
    };
    const noteHandler = (step: string, { name, error }: TracedHandler) => {
      if (step === "start" || step === "error") seen.push(`${step} ${name}${error === undefined ? "" : ` ${error}`}`);
    };
    await watch(middlewareTracing, noteMiddleware, async () => {
      assert.equal(await (await call("GET", "/text/1")).json(), "é");
      await watch(handlerTracing, noteHandler, async () => {
        await call("GET", "/text/2");
        assert.equal((await call("GET", "/broken")).status, 500);
        assert.equal((await call("GET", "/nowhere")).status, 404);
      });
    });
    await watch(handlerTracing, noteHandler, async () => void (await call("GET", "/text/3")));
    await call("GET", "/text/4");
    assert.deepEqual(seen, [
      "start Guard /text/1",
      "start (anonymous) /text/1",
      "asyncEnd (anonymous) /text/1",
      "asyncEnd Guard /text/1",
      "start Guard /text/2",
      "start (anonymous) /text/2",
      "start TestController.handler",
      "asyncEnd (anonymous) /text/2",
      "asyncEnd Guard /text/2",
      "start test.broken",
      "error test.broken Error: broken",
      "start TestController.handler",
    ]);
  },
  { middlewares: [] },
);
