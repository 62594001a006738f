import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { SecondFactor } from "@tenon/auth";
import type { DataOptions } from "@tenon/data";
import { enableFactor } from "../../auth/test/support/authenticator.ts";
import { ask, endProcess, startProcess } from "../../data/test/support/processes.ts";
import { listenDirectly, patientRedis, services, withFolder, withPostgres } from "../../data/test/support/services.ts";
import { AccountTokens } from "../src/account-tokens.ts";
import type { Calls } from "./fixtures/accounts-worker.ts";
import { withAccounts } from "./support/accounts-app.ts";

const rounds = process.env.TENON_FULL === "1" ? 20 : 3;
const callsEach = 50;
const worker = "../../../accounts/test/fixtures/accounts-worker.ts";

interface Store {
  readonly name: string;
  with(body: (data: DataOptions) => Promise<void>): Promise<void>;
}

const stores: Store[] = [
  {
    name: "SQLite",
    with: (body) => withFolder((folder) => body({ database: `sqlite:${join(folder, "app.db")}` })),
  },
];
if (services.postgres !== undefined) {
  const postgres = (url: string): DataOptions => ({ database: url, postgres: listenDirectly(url) });
  stores.push({ name: "PostgreSQL", with: (body) => withPostgres((url) => body(postgres(url))) });
  const keyValue = services.redis;
  if (keyValue !== undefined) {
    stores.push({
      name: "PostgreSQL and Redis",
      with: (body) =>
        withPostgres((url) => body({ ...postgres(url), keyValue, redis: { prefix: randomUUID(), ...patientRedis } })),
    });
  }
}

for (const store of stores) {
  test(`of 100 uses at once in two processes, one wins (${store.name})`, (t) =>
    store.with((data) =>
      withAccounts(data, async ({ app, addUser, clock }) => {
        const children = await Promise.all([1, 2].map(() => startProcess(worker, [JSON.stringify(data)])));
        const race = async (calls: Omit<Calls, "calls">) => {
          const message: Calls = { ...calls, calls: callsEach };
          const results = await Promise.all(children.map((child) => ask<(boolean | string)[]>(child, message)));
          return results.flat();
        };
        try {
          for (const operation of ["verification", "reset", "email change"] as const) {
            await t.test(`a token: ${operation}, ${rounds} rounds`, async () => {
              for (let round = 0; round < rounds; round++) {
                const user = await addUser(randomUUID());
                const subject = operation === "email change" ? `new-${user.email}` : null;
                const secret = await app.get(AccountTokens).create(operation, user, subject);
                const results = await race({ operation, userId: user.id, secret });
                assert.equal(results.length, 2 * callsEach);
                assert.equal(results.filter((result) => result === true).length, 1);
                assert.equal(results.filter((result) => result === false).length, 2 * callsEach - 1, `${results}`);
              }
            });
          }

          // after five calls that have not succeeded the others may get a 429
          for (const kind of ["a code of the authenticator", "a recovery code"]) {
            await t.test(`${kind}, ${rounds} rounds`, async () => {
              for (let round = 0; round < rounds; round++) {
                const { id } = await addUser(randomUUID());
                clock.set(Date.now()); // the processes have the clock of the system
                const factor = await enableFactor(app.get(SecondFactor), id, Date.now);
                const secret = kind === "a recovery code" ? (factor.recoveryCodes[0] ?? "") : factor.phone.code();
                const results = await race({ operation: "code", userId: id, secret });
                assert.equal(results.filter((result) => result === true).length, 1, `${results}`);
                const others = results.filter((result) => result !== true);
                assert.ok(
                  others.every((result) => result === false || result === "429"),
                  `${results}`,
                );
              }
            });
          }
        } finally {
          await Promise.all(children.map(endProcess));
        }
      }),
    ));
}
