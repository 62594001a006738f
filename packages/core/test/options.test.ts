import assert from "node:assert/strict";
import { test } from "node:test";
import { api, createApp, defineModule, StartError } from "@tenon/core";
import { cors, MemoryCounterStore, type RateLimitOptions, rateLimit, requestId } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { rejection } from "./support/start-error.ts";

const module = defineModule({ name: "app" });
const quiet = { onStartError: "throw", log: { level: "silent" } } as const;

// plain JavaScript can pass options that TypeScript rejects
const untyped = (options: unknown) => options as object;

const mistakes: Record<string, { readonly make: () => unknown; readonly text: string }> = {
  "createApp()": {
    make: () => createApp(module, api(), untyped({ ...quiet, overide: [] })),
    text: "createApp() has no option overide (did you mean override?). It takes log, onStartError, override, stopTimeout, checkContracts, background.",
  },
  "the log of createApp()": {
    make: () => createApp(module, api(), { ...quiet, log: untyped({ levle: "debug" }) }),
    text: "log has no option levle (did you mean level?). It takes level, pretty, color, destination.",
  },
  "the destination of the log": {
    make: () => createApp(module, api(), { ...quiet, log: untyped({ destination: "app.log" }) }),
    text: 'log.destination is the text "app.log". It takes an object with write(line).',
  },
  "no destination of the log": {
    make: () => createApp(module, api(), { ...quiet, log: untyped({ destination: null }) }),
    text: "log.destination is null. It takes an object with write(line).",
  },
  "createTestApp()": {
    make: () => createTestApp(module, api(), untyped({ overrides: [] })),
    text: "createTestApp() has no option overrides (did you mean override?). It takes override, log, stopTimeout, checkContracts, background.",
  },
  "createTestApp(), which never exits,": {
    make: () => createTestApp(module, api(), untyped({ onStartError: "exit" })),
    text: "createTestApp() has no option onStartError. It takes override, log, stopTimeout, checkContracts, background.",
  },
  "api()": {
    make: () => api(untyped({ middleware: [cors()] })),
    text: "api() has no option middleware (did you mean middlewares?). It takes middlewares, limits, trustedProxies, singleHeaders, upgrade, engine, errors, openapi, docs.",
  },
  "api() with an unknown engine": {
    make: () => api(untyped({ engine: "fast" })),
    text: 'engine is the text "fast". Use "wire" or "node".',
  },
  "listen() with no workers": {
    make: async () => (await createApp(module, api(), quiet)).listen({ workers: 0 }),
    text: 'workers is the number 0. It takes a whole number from 1 on, or "all".',
  },
  "api() without an object": {
    make: () => api(untyped([cors()])),
    text: "api() was given a list for its options. It takes { middlewares, limits, trustedProxies, singleHeaders, upgrade, engine, errors, openapi, docs }.",
  },
  "api() with one middleware": {
    make: () => api(untyped({ middlewares: cors() })),
    text: "middlewares of api() is the function cors. Write a list: middlewares: [ … ].",
  },
  "listen()": {
    make: async () => (await createApp(module, api(), quiet)).listen(untyped({ prot: 1 })),
    text: "listen() has no option prot (did you mean port?). It takes port, host, tls, signals, workers.",
  },
  "cors()": {
    make: () => cors(untyped({ origin: "*" })),
    text: "cors() has no option origin (did you mean origins?). It takes origins, methods, headers, exposedHeaders, credentials, maxAge.",
  },
  "rateLimit() without any": {
    make: () => rateLimit(undefined as unknown as RateLimitOptions), // as above
    text: "rateLimit() was given undefined for its options. It takes { limit, window, key, store, name, onStoreError, storeTimeout, now }.",
  },
  "requestId()": {
    make: () => requestId(untyped({ trusted: true })),
    text: "requestId() has no option trusted (did you mean trust?). It takes trust.",
  },
  "MemoryCounterStore()": {
    make: () => new MemoryCounterStore(untyped({ max: 1 })),
    text: "MemoryCounterStore() has no option max. It takes maxKeys, now.",
  },
};
for (const [owner, { make, text }] of Object.entries(mistakes)) {
  test(`an invalid option of ${owner} stops the start: ${text}`, async () => {
    const error = await rejection(Promise.try(make));
    assert.deepEqual(
      error.problems.map(({ code, message }) => [code, message]),
      [["BAD_OPTION", text]],
    );
  });
}

test("an unknown option is reported together with other invalid options", async () => {
  const error = await rejection(createApp(module, api(), untyped({ ...quiet, stoptimeout: 5, stopTimeout: 0 })));
  assert.ok(error instanceof StartError);
  assert.equal(
    error.message,
    `2 problems:
  1. createApp() has no option stoptimeout (did you mean stopTimeout?). It takes log, onStartError, override, stopTimeout, checkContracts, background.
  2. stopTimeout is 0. It takes a whole number of milliseconds from 1 to 2147483647.`,
  );
});
