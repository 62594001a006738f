import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Log } from "@tenon/core";
import { stopOnSignals } from "../../src/boot/signals.ts";

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
