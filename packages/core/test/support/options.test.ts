import assert from "node:assert/strict";
import { test } from "node:test";
import { api, createApp, defineModule, errorFormat } from "@tenon/core";
import { cors, MemoryCounterStore, rateLimit, requestId } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { rejection } from "./start-error.ts";

const module = defineModule({ name: "app" });
const quiet = { onStartError: "throw", log: { level: "silent" } } as const;

// plain JavaScript can pass options that TypeScript rejects
const untyped = (options: unknown) => options as object;

const wrongUses: Record<string, () => unknown> = {
  "createApp()": () => createApp(module, api(), untyped({ ...quiet, overide: [] })),
  "the log of createApp()": () => createApp(module, api(), { ...quiet, log: untyped({ levle: "debug" }) }),
  "createTestApp()": () => createTestApp(module, api(), untyped({ overrides: [] })),
  "createTestApp(), which never exits,": () => createTestApp(module, api(), untyped({ onStartError: "exit" })),
  "api()": () => createApp(module, api(untyped({ middleware: [cors()] })), quiet),
  "api() without an object": () => createApp(module, api(untyped([cors()])), quiet),
  "docs of api(), which could be a guard,": () =>
    createApp(module, api(untyped({ docs: { public: true, middleware: [cors()] } })), quiet),
  "errorFormat()": () => createApp(module, api({ errors: errorFormat("plain", { rejectedStatus: 200 }) }), quiet),
  "a format of errors": () =>
    createApp(module, api({ errors: { ...errorFormat("plain"), malformedStatus: 500 } }), quiet),
  "listen()": async () => (await createApp(module, api(), quiet)).listen(untyped({ prot: 1 })),
  "listen() with no workers": async () => (await createApp(module, api(), quiet)).listen({ workers: 0 }),
  "listen() with too many workers": async () => (await createApp(module, api(), quiet)).listen({ workers: 257 }),
  "listen() with an empty host, which is every address,": async () =>
    (await createApp(module, api(), quiet)).listen({ host: "" }),
  "cors()": () => cors(untyped({ origin: "*" })),
  "rateLimit() with NaN": () => rateLimit({ limit: Number.NaN, window: 60 }),
  "requestId()": () => requestId(untyped({ trusted: true })),
  "MemoryCounterStore()": () => new MemoryCounterStore(untyped({ max: 1 })),
};
for (const [owner, make] of Object.entries(wrongUses)) {
  test(`an invalid option of ${owner} stops the start`, async () => {
    const { problems } = await rejection(Promise.try(make));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["BAD_OPTION"],
    );
  });
}

test("every problem of an options object is in one error, those of nested options too", async () => {
  const options = untyped({ limits: { body: Number.NaN, bdoy: 1 }, trustedProxies: ["10.0.0.0/99"], engin: 1 });
  const error = await rejection(createApp(module, api(options), quiet));
  assert.deepEqual(
    error.problems.map(({ message }) => message.replace(/ It takes .*$/, "")),
    [
      "api() has no option engin (did you mean engine?).",
      "limits of api() has no option bdoy (did you mean body?).",
      "limits.body of api() is NaN.",
      'trustedProxies of api() is ["10.0.0.0/99"].',
    ],
  );
});

test("a limit that is undefined has its default: no request would exceed undefined", async () => {
  const app = await createTestApp(module, api({ limits: untyped({ uri: undefined }) }));
  assert.equal((await app.request("GET", `/${"a".repeat(9000)}`)).status, 414);
});
