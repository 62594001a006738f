import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiOptions, api, createApp, defineModule, StartError } from "@tenon/core";
import { cors, MemoryCounterStore, type RateLimitOptions, rateLimit, requestId } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { checkOptions, takes } from "../src/support/options.ts";
import { rejection } from "./support/start-error.ts";

const module = defineModule({ name: "app" });
const quiet = { onStartError: "throw", log: { level: "silent" } } as const;

// plain JavaScript can pass options that TypeScript rejects
const untyped = (options: unknown) => options as object;

const mistakes: Record<string, { readonly make: () => unknown; readonly text: string }> = {
  "createApp()": {
    make: () => createApp(module, api(), untyped({ ...quiet, overide: [] })),
    text: "createApp() has no option overide (did you mean override?). It takes config, log, onStartError, override, stopTimeout, checkContracts, background, devtools.",
  },
  "the log of createApp()": {
    make: () => createApp(module, api(), { ...quiet, log: untyped({ levle: "debug" }) }),
    text: "log has no option levle (did you mean level?). It takes level, pretty, color, destination.",
  },
  "the destination of the log": {
    make: () => createApp(module, api(), { ...quiet, log: untyped({ destination: "app.log" }) }),
    text: 'destination of log is "app.log". It takes an object with write(line).',
  },
  "no destination of the log": {
    make: () => createApp(module, api(), { ...quiet, log: untyped({ destination: null }) }),
    text: "destination of log is null. It takes an object with write(line).",
  },
  "createTestApp()": {
    make: () => createTestApp(module, api(), untyped({ overrides: [] })),
    text: "createTestApp() has no option overrides (did you mean override?). It takes config, log, override, stopTimeout, checkContracts, background.",
  },
  "createTestApp(), which never exits,": {
    make: () => createTestApp(module, api(), untyped({ onStartError: "exit" })),
    text: "createTestApp() has no option onStartError. It takes config, log, override, stopTimeout, checkContracts, background.",
  },
  "api()": {
    make: () => createApp(module, api(untyped({ middleware: [cors()] })), quiet),
    text: "api() has no option middleware (did you mean middlewares?). It takes middlewares, limits, trustedProxies, singleHeaders, engine, errors, openapi, docs.",
  },
  "api() with an unknown engine": {
    make: () => createApp(module, api(untyped({ engine: "fast" })), quiet),
    text: 'engine of api() is "fast". It takes "wire" or "node".',
  },
  "listen() with no workers": {
    make: async () => (await createApp(module, api(), quiet)).listen({ workers: 0 }),
    text: 'workers of listen() is 0. It takes a whole number from 1 to 256, or "all".',
  },
  "listen() with too many workers": {
    make: async () => (await createApp(module, api(), quiet)).listen({ workers: 257 }),
    text: 'workers of listen() is 257. It takes a whole number from 1 to 256, or "all".',
  },
  "api() without an object": {
    make: () => createApp(module, api(untyped([cors()])), quiet),
    text: "api() was given a list for its options. It takes { middlewares, limits, trustedProxies, singleHeaders, engine, errors, openapi, docs }.",
  },
  "api() with one middleware": {
    make: () => createApp(module, api(untyped({ middlewares: cors() })), quiet),
    text: "middlewares of api() is the function cors. Write a list: [ … ].",
  },
  "listen()": {
    make: async () => (await createApp(module, api(), quiet)).listen(untyped({ prot: 1 })),
    text: "listen() has no option prot (did you mean port?). It takes port, host, tls, signals, workers.",
  },
  "a secret, which is not quoted": {
    make: () =>
      checkOptions("sessions()", { secret: "short" }, { secret: takes.required(takes.secret(32, "Make one.")) }),
    text: "secret of sessions() has 5 bytes. At least 32 are needed. Make one.",
  },
  "no secret": {
    make: () => checkOptions("sessions()", { secret: 5 }, { secret: takes.required(takes.secret(32, "Make one.")) }),
    text: "secret of sessions() has 0 bytes. At least 32 are needed. Make one.",
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

test("every fault of an options object is in one error, those of nested options too", async () => {
  const options = untyped({ engine: "fast", middlewares: 1, docs: { path: "x", pth: 1 }, openapi: "x", engin: 1 });
  const error = await rejection(createApp(module, api(options as ApiOptions), quiet));
  assert.deepEqual(
    error.problems.map(({ message }) => message.replace(/ It takes (?:middlewares|path|\{).*$/, "")),
    [
      "api() has no option engin (did you mean engine?).",
      "middlewares of api() is 1. Write a list: [ … ].",
      'engine of api() is "fast". It takes "wire" or "node".',
      'openapi of api() was given the text "x" for its options.',
      "docs of api() has no option pth (did you mean path?).",
      'docs.path of api() is "x". It takes a path, for example "/docs".',
    ],
  );
});

test("rules about several options are read when each of them is valid", () => {
  const wrong = untyped({ credentials: true, maxAge: -1 });
  assert.throws(() => cors(wrong), /^StartError: maxAge of cors\(\) is -1\. It takes a whole number from 0\.$/);
  assert.throws(() => cors({ credentials: true }), /List the origins/);
});

test("an unknown option is reported together with other invalid options", async () => {
  const error = await rejection(createApp(module, api(), untyped({ ...quiet, stoptimeout: 5, stopTimeout: 0 })));
  assert.ok(error instanceof StartError);
  assert.equal(
    error.message,
    `2 problems:
  1. createApp() has no option stoptimeout (did you mean stopTimeout?). It takes config, log, onStartError, override, stopTimeout, checkContracts, background, devtools.
  2. stopTimeout of createApp() is 0. It takes a whole number from 1 to 2147483647.`,
  );
});

test("a secret that is long enough is accepted", () => {
  assert.equal(takes.secret(32, "Make one.")("é".repeat(16)), undefined);
});
