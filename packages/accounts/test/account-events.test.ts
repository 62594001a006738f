import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountEvents } from "@tenon/accounts";
import { Sweeps } from "@tenon/data";
import { databases } from "../../jobs/test/support/jobs-app.ts";
import { withAccounts } from "./support/accounts-app.ts";

for (const database of databases) {
  for (const [kept, days, options] of [
    ["a year", 365, {}],
    ["as long as keepEvents says", 30, { keepEvents: "30d" }],
  ] as const) {
    test(`entries of the audit log are kept for ${kept} (${database.name})`, () =>
      database.with((url) =>
        withAccounts(
          { database: url },
          async ({ app, clock }) => {
            const events = app.get(AccountEvents);
            const sweptEvents = async () => {
              await app.get(Sweeps).run();
              return (await events.list("ada")).map(({ event }) => event);
            };
            await events.record("ada", "registered", "user");
            clock.advance((days - 1) * 86_400_000);
            await events.record("ada", "password changed", "user");
            clock.advance(86_399_999);
            assert.deepEqual(await sweptEvents(), ["password changed", "registered"]);
            clock.advance(1);
            assert.deepEqual(await sweptEvents(), ["password changed"]);
          },
          options,
        ),
      ));
  }
}
