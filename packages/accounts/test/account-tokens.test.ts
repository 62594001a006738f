import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountUsers } from "@tenon/accounts";
import { type AnyDatabase, Database, Sweeps } from "@tenon/data";
import { databases } from "../../jobs/test/support/jobs-app.ts";
import { AccountTokens, type TokenPurpose, tokenSeconds } from "../src/account-tokens.ts";
import { type AccountsApp, withAccounts } from "./support/accounts-app.ts";

const purposes = Object.keys(tokenSeconds) as TokenPurpose[]; // the keys of a constant

/** Uses tokens in transactions of their own. */
function tokensOf({ app }: AccountsApp) {
  const tokens = app.get(AccountTokens);
  const users = app.get(AccountUsers);
  const db: AnyDatabase = app.get(Database);
  const use = (purpose: TokenPurpose, token: string) =>
    db.transaction().execute((transaction) => tokens.use(purpose, token, transaction));
  return { tokens, use, users, db };
}

for (const database of databases) {
  test(`a token is valid for its purpose, its user and one use (${database.name})`, (t) =>
    database.with((url) =>
      withAccounts({ database: url }, async (parts) => {
        const { tokens, use, users, db } = tokensOf(parts);

        await t.test("a token of each purpose is unknown to every other one, and stays valid", async () => {
          const user = await parts.addUser("ada");
          for (const purpose of purposes) {
            const token = await tokens.create(purpose, user, "new@example.com");
            for (const other of purposes.filter((one) => one !== purpose)) {
              assert.equal(await use(other, token), undefined, `${purpose} at ${other}`);
              assert.equal(await tokens.ownerOf(other, token), undefined, `${purpose} at ${other}`);
            }
            assert.deepEqual(await use(purpose, token), { user, subject: "new@example.com" });
            assert.equal(await use(purpose, token), undefined, `${purpose}, used twice`);
            assert.equal(await tokens.ownerOf(purpose, token), undefined);
          }
        });

        await t.test("it expires by the clock, in the second that it names", async () => {
          const user = await parts.find("ada");
          for (const purpose of purposes) {
            const [first, second] = [await tokens.create(purpose, user), await tokens.create(purpose, user)];
            parts.clock.advance(tokenSeconds[purpose] * 1000 - 1);
            assert.notEqual(await use(purpose, first), undefined, purpose);
            parts.clock.advance(1);
            assert.equal(await use(purpose, second), undefined, purpose);
          }
        });

        await t.test("it ends with the password, with the address and with the user", async () => {
          for (const purpose of purposes) {
            const bob = await parts.addUser("bob");
            const [first, second, third] = [
              await tokens.create(purpose, bob),
              await tokens.create(purpose, bob),
              await tokens.create(purpose, bob),
            ];
            await users.setPassword("bob", "another hash", db);
            assert.equal(await use(purpose, first), undefined, `${purpose} after a change of the password`);
            await users.setPassword("bob", bob.password, db);
            await users.setEmail("bob", "b@example.com", db);
            assert.equal(await tokens.ownerOf(purpose, second), undefined);
            assert.equal(await use(purpose, second), undefined, `${purpose} after a change of the address`);
            await users.delete("bob", db);
            assert.equal(await use(purpose, third), undefined, `${purpose} of a deleted user`);
          }
        });

        await t.test("of 100 uses at once, one wins; of two tokens for one password, too", async () => {
          const user = await parts.find("ada");
          for (const purpose of purposes) {
            const token = await tokens.create(purpose, user);
            const results = await Promise.all(Array.from({ length: 100 }, () => use(purpose, token)));
            assert.equal(results.filter((result) => result !== undefined).length, 1, purpose);
          }
          const links = await Promise.all(Array.from({ length: 10 }, () => tokens.create("reset", user)));
          const resets = await Promise.all(
            links.map((link, index) => parts.accounts.reset(link, `new password ${index}`, "user")),
          );
          assert.equal(resets.filter(Boolean).length, 1, "the first reset ends the other tokens");
        });

        await t.test("expired tokens are deleted by a sweep, not by the request that creates one", async () => {
          const count = async () => (await db.selectFrom("account_tokens").select("hash").execute()).length;
          const user = await parts.find("ada");
          await parts.app.get(Sweeps).run();
          for (const purpose of purposes) await tokens.create(purpose, user);
          const before = await count();
          parts.clock.advance("25h");
          await tokens.create("reset", user);
          assert.equal(await count(), before + 1);
          await parts.app.get(Sweeps).run();
          assert.equal(await count(), 1);
        });

        await t.test("the table holds no token", async () => {
          const token = await tokens.create("reset", await parts.find("ada"));
          const rows = await db.selectFrom("account_tokens").selectAll().execute();
          assert.ok(rows.length > 0);
          assert.ok(!JSON.stringify(rows).includes(token));
        });
      }),
    ));
}
