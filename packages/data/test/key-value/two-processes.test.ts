import assert from "node:assert/strict";
import { test } from "node:test";
import type { DataOptions } from "@tenon/data";
import { KeyValue } from "@tenon/data";
import { ask, endProcess, startProcess } from "../support/processes.ts";
import { shared, uniqueKey, withStores } from "../support/stores.ts";

const rounds = process.env.TENON_FULL === "1" ? 200 : 20;
const callsEach = 50;

interface Result {
  readonly value?: unknown;
  readonly error?: string;
}

async function withTwoProcesses(
  options: DataOptions,
  body: (store: KeyValue, both: (operation: string, key: string) => Promise<Result[]>) => Promise<void>,
): Promise<void> {
  await withStores(options, async (app) => {
    const children = await Promise.all([1, 2].map(() => startProcess("store-worker.ts", [JSON.stringify(options)])));
    try {
      await body(app.get(KeyValue), async (operation, key) => {
        const results = await Promise.all(
          children.map((child) => ask<Result[]>(child, { operation, key, calls: callsEach })),
        );
        return results.flat();
      });
    } finally {
      await Promise.all(children.map(endProcess));
    }
  });
}

for (const adapter of shared) {
  test(`operations of two processes on one store are atomic (${adapter.name})`, (t) =>
    adapter.with((options) =>
      withTwoProcesses(options, async (store, both) => {
        await t.test(`exactly one of 100 concurrent takes wins, ${rounds} rounds`, async () => {
          for (let round = 0; round < rounds; round++) {
            const key = uniqueKey("take");
            await store.set(key, round);
            const results = await both("take", key);
            assert.deepEqual(
              results.filter((result) => result.error !== undefined),
              [],
            );
            assert.deepEqual(
              results.filter((result) => result.value !== undefined),
              [{ value: round }],
            );
          }
        });

        await t.test("no concurrent increment is lost", async () => {
          const key = uniqueKey("count");
          const results = [...(await both("increment", key)), ...(await both("increment", key))];
          assert.deepEqual(
            results.filter((result) => result.error !== undefined),
            [],
          );
          assert.equal(await store.get(key), 4 * callsEach);
        });
      }),
    ));
}
