import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type ApiOptions, api, type Context, type Routes } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { moduleOf } from "../support/transports.ts";

const url = "http://localhost/";
const read = {
  method: "POST" as const,
  path: "/",
  handler: async (ctx: Context) => (await ctx.request().body()).length,
};

async function withApp(
  routes: Routes,
  body: (app: TestHttpApp) => Promise<void>,
  options: ApiOptions = {},
): Promise<void> {
  const app = await createTestApp(moduleOf(routes), api(options));
  try {
    await body(app);
  } finally {
    await app.stop();
  }
}

/** An endless body that records when its reader cancels it. */
function endless(chunk: Uint8Array | undefined): { body: ReadableStream; cancelled: Promise<unknown> } {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const body = new ReadableStream({
    pull: (controller) => (chunk === undefined ? new Promise(() => {}) : controller.enqueue(chunk)),
    cancel: resolve,
  });
  return { body, cancelled: promise };
}

const post = (body: ReadableStream | string, headers: Record<string, string> = {}) =>
  new Request(url, { method: "POST", body, headers, duplex: "half" } as RequestInit); // node requires duplex, its type lacks it

test("a body past the limit is 413, and its source is cancelled", () =>
  withApp([read], async (app) => {
    const { body, cancelled } = endless(new Uint8Array(100_000));
    const res = await app.fetch(post(body));
    assert.deepEqual([res.status, await res.json()], [413, { error: "Payload Too Large" }]);
    await cancelled;
  }));

test("a body that never ends is 408, and its source is cancelled", () =>
  withApp(
    [read],
    async (app) => {
      const { body, cancelled } = endless(undefined);
      const res = await app.fetch(post(body));
      assert.equal(res.status, 408);
      await cancelled;
    },
    { limits: { bodyTimeout: 20 } },
  ));

test("a declared length past the limit is refused before the body is read", () =>
  withApp([read], async (app) => {
    const { body } = endless(undefined);
    assert.equal((await app.fetch(post(body, { "content-length": "1048577" }))).status, 413);
  }));

test("a body stream that fails is 400", () =>
  withApp([read], async (app) => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("cut off")) });
    assert.equal((await app.fetch(post(broken))).status, 400);
    const used = post("x");
    await used.text();
    assert.equal((await app.fetch(used)).status, 400);
  }));

test("requests are refused as on a socket", () =>
  withApp([read], async (app) => {
    const refused: readonly [status: number, headers: Record<string, string>, path?: string][] = [
      [415, { "content-encoding": "gzip" }],
      [400, { "content-type": "json" }],
      [400, { host: "a@b" }],
      [431, { "x-a": "a".repeat(17_000) }],
      [414, {}, "a".repeat(8192)],
    ];
    for (const [status, headers, path = ""] of refused) {
      const res = await app.fetch(new Request(url + path, { headers }));
      assert.deepEqual([res.status, Object.keys((await res.json()) as object)], [status, ["error"]]);
      const head = await app.fetch(new Request(url + path, { headers, method: "HEAD" }));
      assert.deepEqual([head.status, await head.text()], [status, ""]);
    }
  }));

test("protocol and host are those of the URL, and there is no address", () =>
  withApp(
    [
      {
        method: "GET",
        path: "/",
        handler: (ctx: Context) => {
          const request = ctx.request();
          return [request.protocol(), request.host(), request.address(), String(request.peer())];
        },
      },
    ],
    async (app) => {
      const res = await app.fetch(new Request("https://example.org:8443/"));
      assert.deepEqual(await res.json(), ["https", "example.org:8443", "", "undefined"]);
    },
  ));

test("cancelling a response stops its stream, before the first chunk and after", async () => {
  for (const reads of [0, 1]) {
    const returned = Promise.withResolvers<void>();
    const source = {
      [Symbol.asyncIterator]: () => source,
      next: async () => ({ done: false, value: "chunk" }),
      return: async () => {
        returned.resolve();
        return { done: true, value: undefined };
      },
    };
    await withApp([{ method: "GET", path: "/", handler: () => source }], async (app) => {
      const reader = (await app.fetch(new Request(url))).body?.getReader();
      for (let count = 0; count < reads; count++) await reader?.read();
      await reader?.cancel();
      await returned.promise;
    });
  }
});

test("a stream that fails after its first chunk makes its reader fail", () =>
  withApp(
    [
      {
        method: "GET",
        path: "/",
        handler: async function* () {
          yield "first";
          throw new Error("the source failed");
        },
      },
    ],
    async (app) => {
      const res = await app.fetch(new Request(url));
      assert.equal(res.status, 200);
      await assert.rejects(res.text(), /the source failed/);
    },
  ));

test("a stop waits for calls in flight", async () => {
  const bodies: unknown[] = [];
  const released = Promise.withResolvers<string>();
  const app = await createTestApp(
    moduleOf([{ method: "GET", path: "/", handler: () => released.promise }]),
    api({ limits: { stopTimeout: 600_000 } }),
  );
  void app.fetch(new Request(url)).then(async (res) => bodies.push(await res.json()));
  await turn(); // it is handled
  const stop = app.stop();
  await turn();
  assert.deepEqual(bodies, []);
  released.resolve("done");
  await stop;
  assert.deepEqual(bodies, ["done"]);
});

test("a stop waits for a call that hangs until its deadline", async () => {
  const app = await createTestApp(
    moduleOf([{ method: "GET", path: "/", handler: () => new Promise(() => {}) }]),
    api({ limits: { stopTimeout: 20 } }),
  );
  void app.fetch(new Request(url));
  await turn(); // it is handled
  await app.stop();
});
