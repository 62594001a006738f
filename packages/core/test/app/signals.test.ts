import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Log } from "@tenon/core";
import { stopOnCrash, stopOnSignals } from "../../src/app/signals.ts";

test("a stop that fails is logged, and the process ends with 1", async (t) => {
  const logged: unknown[] = [];
  const exits: unknown[] = [];
  // the rest of a log is never called
  const log = { info: () => {}, error: (fields: unknown) => logged.push(fields) } as unknown as Log;
  t.mock.method(process, "exit", (code: unknown) => exits.push(code));
  const error = new Error("no");
  const before = process.listeners("SIGTERM");
  const forget = stopOnSignals(() => Promise.reject(error), log);
  const [added] = process.listeners("SIGTERM").filter((listener) => !before.includes(listener));
  added?.("SIGTERM"); // called by hand: the tests' own process listens for signals too
  await turn();
  assert.deepEqual([logged, exits], [[{ err: error }], [1]]);
  forget();
  for (const signal of ["SIGTERM", "SIGINT"] as const) if (added !== undefined) process.off(signal, added);
});

test("a second crash during the stop is logged, and the process ends with 1", async (t) => {
  const logged: unknown[] = [];
  const exits: unknown[] = [];
  const log = { fatal: (_: unknown, message: string) => logged.push(message) } as unknown as Log; // as above
  t.mock.method(process, "exit", (code: unknown) => exits.push(code));
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException"); // the test runner listens too: then an application decides itself
  const stopped = Promise.withResolvers<void>();
  stopOnCrash(() => stopped.promise, log);
  const [crash] = process.listeners("uncaughtException");
  for (const listener of others) process.on("uncaughtException", listener);
  if (crash === undefined) return assert.fail("no listener");
  process.off("uncaughtException", crash);
  crash(new Error("first"), "uncaughtException");
  crash(new Error("second"), "unhandledRejection");
  assert.deepEqual(exits, []);
  stopped.resolve();
  await turn();
  assert.deepEqual(logged, ["uncaught exception: stopping", "unhandled rejection during the stop"]);
  assert.deepEqual(exits, [1]);
});
