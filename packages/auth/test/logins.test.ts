import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Logins, RefreshTokens, Sessions } from "@tenon/auth";
import { provide } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { MemoryKeyValue } from "../../data/src/key-value/memory.ts";
import { keyValues } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";
import { interleavings, SteppedKeyValue } from "./support/interleavings.ts";

for (const adapter of keyValues) {
  describe(`logins on ${adapter.name}`, () => {
    const run = (name: string, body: (logins: Logins, parts: AuthApp) => Promise<void>) =>
      test(name, () => adapter.with((data) => withAuth({ data }, (parts) => body(parts.app.get(Logins), parts))));

    run(
      "ending all logins of a user ends sessions and refresh tokens at once, and no others",
      async (logins, { app }) => {
        const [sessions, tokens] = [app.get(Sessions), app.get(RefreshTokens)];
        const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()];
        for (let round = 0; round < 2; round++) {
          const [session, other] = [await sessions.create(ada), await sessions.create(bob)];
          const [token, renewed] = [await tokens.generate(ada), await tokens.refresh(await tokens.generate(ada))];
          assert.equal((await sessions.find(session))?.user_id, ada);
          await logins.endAll(ada);
          assert.equal(await sessions.find(session), undefined);
          assert.equal(await tokens.refresh(token), undefined);
          assert.equal(await tokens.refresh(renewed?.refreshToken ?? ""), undefined);
          assert.deepEqual(await sessions.list(ada), []);
          assert.equal((await sessions.find(other))?.user_id, bob);
          assert.ok(await sessions.find(await sessions.create(ada)), "a login afterwards");
          assert.ok(await tokens.refresh(await tokens.generate(ada)));
        }
      },
    );

    run("what was issued with the stamp of before is not valid", async (logins, { app }) => {
      const user = crypto.randomUUID();
      const before = await logins.stampOf(user);
      await logins.endAll(user);
      const session = await app.get(Sessions).create(user, { stamp: before });
      const token = await app.get(RefreshTokens).generate(user, before);
      assert.equal(await app.get(Sessions).find(session), undefined);
      assert.equal(await app.get(RefreshTokens).refresh(token), undefined);
    });
  });
}

interface Instance {
  readonly store: SteppedKeyValue;
  readonly parts: AuthApp;
}

/** Two instances of an application on one store. */
async function withTwoInstances(body: (first: Instance, second: Instance) => Promise<void>): Promise<void> {
  const shared = new MemoryKeyValue();
  const [one, two] = [new SteppedKeyValue(shared), new SteppedKeyValue(shared)];
  await withAuth({ override: [provide(KeyValue, () => one)] }, (first) =>
    withAuth({ override: [provide(KeyValue, () => two)] }, (second) =>
      body({ store: one, parts: first }, { store: two, parts: second }),
    ),
  );
}

test("a refresh that races with the end of all logins leaves no valid token, in every order of their calls", () =>
  withTwoInstances(async (first, second) => {
    const orders = new Set<string>();
    const tokens = first.parts.app.get(RefreshTokens);
    let token = "";
    const races = interleavings(7, async () => {
      token = await tokens.generate("ada");
      return [
        { store: first.store, run: () => tokens.refresh(token) },
        { store: second.store, run: () => second.parts.app.get(Logins).endAll("ada") },
      ];
    });
    for await (const { order, results } of races) {
      orders.add(order);
      assert.equal(await tokens.refresh(token), undefined, order);
      assert.equal(await tokens.refresh(results[0]?.refreshToken ?? ""), undefined, order);
    }
    assert.ok(orders.size > 5, `${orders.size} orders`);
  }));

test("a login whose password was compared before the end of all logins opens no valid session", () =>
  withTwoInstances(async (first, second) => {
    const orders = new Set<string>();
    const [logins, sessions] = [first.parts.app.get(Logins), first.parts.app.get(Sessions)];
    const races = interleavings(4, async () => [
      {
        store: first.store,
        run: async () => {
          const stamp = await logins.stampOf("ada");
          const session = await sessions.create("ada", { stamp });
          return { stamp, session };
        },
      },
      { store: second.store, run: () => second.parts.app.get(Logins).endAll("ada") },
    ]);
    for await (const { order, results } of races) {
      orders.add(order);
      const [{ stamp, session }, current] = results;
      // only a login that began after the end is valid
      assert.equal((await sessions.find(session)) !== undefined, stamp === current, order);
    }
    assert.ok(orders.size > 2, `${orders.size} orders`);
  }));
