import assert from "node:assert/strict";
import { test } from "node:test";
import { RefreshTokens } from "@tenon/auth";
import { provide } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { MemoryKeyValue } from "../../data/src/key-value/memory.ts";
import { withAuth } from "./support/auth-app.ts";
import { interleavings, SteppedKeyValue } from "./support/interleavings.ts";

interface Instance {
  readonly store: SteppedKeyValue;
  readonly tokens: RefreshTokens;
}

/** Two instances of an application on one store. */
async function withTwoInstances(body: (first: Instance, second: Instance) => Promise<void>): Promise<void> {
  const shared = new MemoryKeyValue();
  const [one, two] = [new SteppedKeyValue(shared), new SteppedKeyValue(shared)];
  await withAuth({ override: [provide(KeyValue, () => one)] }, ({ app: first }) =>
    withAuth({ override: [provide(KeyValue, () => two)] }, ({ app: second }) =>
      body({ store: one, tokens: first.get(RefreshTokens) }, { store: two, tokens: second.get(RefreshTokens) }),
    ),
  );
}

test("two refreshes of one token have one winner, in every order of their calls to the store", () =>
  withTwoInstances(async (first, second) => {
    const orders = new Set<string>();
    const races = interleavings(10, async () => {
      const token = await first.tokens.generate("ada");
      return [
        { store: first.store, run: () => first.tokens.refresh(token) },
        { store: second.store, run: () => second.tokens.refresh(token) },
      ];
    });
    for await (const { order, results } of races) {
      orders.add(order);
      assert.equal(results.filter((result) => result !== undefined).length, 1, order);
    }
    assert.ok(orders.size > 20, `${orders.size} orders`);
  }));

test("after a revocation no token of the family works, in every order of the calls of a concurrent refresh", () =>
  withTwoInstances(async (first, second) => {
    const orders = new Set<string>();
    let token = "";
    const races = interleavings(8, async () => {
      token = await first.tokens.generate("ada");
      return [
        { store: first.store, run: () => first.tokens.refresh(token) },
        { store: second.store, run: () => second.tokens.revoke(token) },
      ];
    });
    for await (const { order, results } of races) {
      orders.add(order);
      const [refreshed] = results;
      assert.equal(await second.tokens.refresh(token), undefined, order);
      if (refreshed === undefined) continue;
      assert.equal(await second.tokens.refresh(refreshed.refreshToken), undefined, order);
    }
    assert.ok(orders.size > 15, `${orders.size} orders`);
  }));
