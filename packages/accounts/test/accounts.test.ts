import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { test } from "node:test";
import { AccountEvents, AccountSecondFactor, AccountUsers } from "@tenon/accounts";
import { ApiKeys, Passwords, RefreshTokens, SecondFactor, Sessions } from "@tenon/auth";
import { type AnyDatabase, Database, type TracedSql } from "@tenon/data";
import { enableFactor } from "../../auth/test/support/authenticator.ts";
import { databases } from "../../jobs/test/support/jobs-app.ts";
import { AccountTokens } from "../src/account-tokens.ts";
import { type AccountsApp, password, tokenOf, withAccounts } from "./support/accounts-app.ts";

/** Logins of every kind, and whether each is still valid. */
async function openLogins({ app }: AccountsApp, userId: string) {
  const session = await app.get(Sessions).create(userId);
  const refreshToken = await app.get(RefreshTokens).generate(userId);
  return async () => [
    (await app.get(Sessions).find(session)) !== undefined,
    (await app.get(RefreshTokens).refresh(refreshToken)) !== undefined,
  ];
}

async function eventsOf({ app }: AccountsApp, userId: string): Promise<string[]> {
  return (await app.get(AccountEvents).list(userId)).map(({ event, actor }) => `${event} by ${actor}`).sort();
}

function databaseOf({ app }: AccountsApp): AnyDatabase {
  return app.get(Database);
}

/** The tables of the database that have a row with this text. */
async function tablesWith(parts: AccountsApp, text: string): Promise<string[]> {
  const db = databaseOf(parts);
  const found: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const rows = await db.selectFrom(name).selectAll().execute();
    if (JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value)).includes(text)) {
      found.push(name);
    }
  }
  return found.sort();
}

/** The statements that run meanwhile, without those of other tests: by the name of the database. */
async function countStatements(run: () => Promise<unknown>, isOwn: (traced: TracedSql) => boolean): Promise<string[]> {
  const statements: string[] = [];
  const note = (message: unknown) => {
    const traced = message as TracedSql; // what the channel carries
    if (isOwn(traced)) statements.push(traced.sql);
  };
  subscribe("tracing:tenon.sql:start", note);
  try {
    await run();
  } finally {
    unsubscribe("tracing:tenon.sql:start", note);
  }
  return statements;
}

for (const database of databases) {
  test(`accounts (${database.name})`, (t) =>
    database.with((url) =>
      withAccounts({ database: url }, async (parts) => {
        const { app, accounts, addUser, call, find, mails, lastToken } = parts;

        await t.test("a new user gets the mail if the transaction commits, and verifies the address once", async () => {
          await addUser("ada");
          const db = databaseOf(parts);
          const failed = db.transaction().execute(async (transaction) => {
            await accounts.registered("ada", { transaction });
            throw new Error("rolled back");
          });
          await assert.rejects(failed, /rolled back/);
          assert.equal((await mails()).length, 0);
          await db.transaction().execute((transaction) => accounts.registered("ada", { transaction }));
          const [mail] = await mails();
          assert.deepEqual(mail?.to, { address: "ada@example.com" });
          assert.match(mail?.text ?? "", /https:\/\/blog\.example\.com\/account\/verify\?token=[\w-]{43}\n/);
          assert.equal(await accounts.isVerified("ada"), false);
          const token = tokenOf(mail);
          assert.deepEqual(await call("verify", token, "eve"), [200, false], "the link is for another account");
          assert.deepEqual(await call("verify", token, "ada"), [200, true]);
          assert.deepEqual(await call("verify", token, "ada"), [200, false]);
          assert.equal(await accounts.isVerified("ada"), true);
          assert.deepEqual(await eventsOf(parts, "ada"), ["address verified by user", "registered by system"]);
          await accounts.sendVerification("ada");
          assert.equal((await mails()).length, 1, "a verified address gets no second mail");
        });

        await t.test("VerifiedEmail lets only users with a verified address pass", async () => {
          await addUser("eve");
          const status = async (user: string) => {
            const id = await app.get(Sessions).create(user);
            const response = await app.request("GET", "/verified", { headers: { cookie: `session_id=${id}` } });
            return [response.status, await response.json()];
          };
          assert.deepEqual(await status("ada"), [200, { ok: true }]);
          assert.deepEqual(await status("eve"), [403, { error: "E-mail address not verified" }]);
        });

        await t.test("a reset ends all logins and keeps the second factor of a verified account", async () => {
          const areValid = await openLogins(parts, "ada");
          await enableFactor(app.get(SecondFactor), "ada", () => parts.clock.now());
          const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
          assert.deepEqual(await call("requestReset", "ADA@example.com"), [200, null]);
          const token = await lastToken();
          assert.equal(await accounts.reset("not a token", "new password", "user"), false);
          assert.equal(await accounts.reset(token, "new password", "user"), true);
          assert.equal(await accounts.reset(token, "other password", "user"), false);
          assert.equal(await app.get(Passwords).matches("new password", (await find("ada")).password), true);
          assert.deepEqual(await areValid(), [false, false]);
          assert.equal(await app.get(SecondFactor).isEnabled("ada"), true);
          assert.notEqual(await app.get(ApiKeys).validate(key), undefined);
          const notice = (await mails()).at(-1);
          assert.match(notice?.text ?? "", /The password of your account was reset\./);
          assert.match(notice?.text ?? "", /https:\/\/blog\.example\.com\/account\/reset\n/);
        });

        await t.test("the reset of an unverified account removes what a stranger may have set up", async () => {
          await enableFactor(app.get(SecondFactor), "eve", () => parts.clock.now());
          const { key } = await app.get(ApiKeys).create("eve", { scopes: "all" });
          await call("requestReset", "eve@example.com");
          assert.equal(await accounts.reset(await lastToken(), "new password", "user"), true);
          assert.equal(await app.get(SecondFactor).isEnabled("eve"), false);
          assert.equal(await app.get(ApiKeys).validate(key), undefined);
          assert.equal(await accounts.isVerified("eve"), true, "the link has proved the address");
          const notices = (await mails()).slice(-2).map(({ subject }) => subject);
          assert.deepEqual(notices.sort(), [
            "Blog: The password of your account was reset",
            "Blog: The second factor of your account was removed",
          ]);
          assert.ok((await eventsOf(parts, "eve")).includes("second factor disabled by system"));
        });

        await t.test("a request for a reset runs the same statements whether or not there is an account", async () => {
          const run = (email: string) =>
            countStatements(
              () => call("requestReset", email),
              // the wake-up of the worker runs after the response, several at once
              ({ place, sql }) => new RegExp(`\\b${place.namespace}\\b`).test(url) && !sql.includes("pg_notify"),
            );
          const known = await run("eve@example.com");
          const unknown = await run("unknown@example.com");
          assert.ok(known.some((sql) => /insert into/i.test(sql)));
          assert.deepEqual(unknown, known);
          assert.deepEqual(await run("eve@example.com"), known, "while the first mail waits, too");
          assert.ok((await mails()).every(({ to }) => to.address !== "unknown@example.com"));
        });

        await t.test(
          "one address gets five mails in an hour, known or not, and a client may ask 30 times",
          async () => {
            await addUser("flo");
            const before = (await mails()).length;
            for (let request = 0; request < 8; request++) {
              assert.deepEqual(await call("requestReset", "flo@example.com"), [200, null]);
            }
            assert.equal((await mails()).length, before + 5);
            const statuses: number[] = [];
            for (let request = 0; request < 31; request++) {
              statuses.push((await call("requestReset", `unknown${request}@example.com`))[0]);
            }
            assert.equal(statuses[0], 200);
            assert.equal(statuses.at(-1), 429);
          },
        );

        await t.test("a change of the password needs the current one and ends all logins and older links", async () => {
          const areValid = await openLogins(parts, "flo");
          const link = await app.get(AccountTokens).create("reset", await find("flo"));
          assert.deepEqual(await call("changePassword", "flo", "wrong", "new password"), [200, false]);
          assert.equal((await call("changePassword", "flo", password, "é".repeat(40)))[0], 400);
          assert.deepEqual(await areValid(), [true, true]);
          assert.deepEqual(await call("changePassword", "flo", password, "new password"), [200, true]);
          assert.deepEqual(await areValid(), [false, false]);
          assert.equal(await accounts.reset(link, "other password", "user"), false);
          assert.match((await mails()).at(-1)?.text ?? "", /The password of your account was changed\./);
        });

        await t.test("a new address is confirmed at the new one, and the old one gets a notice", async () => {
          assert.equal((await call("requestEmailChange", "flo", "f l o@example.com"))[0], 400);
          await call("requestEmailChange", "flo", "Florence@example.com");
          const mail = (await mails()).findLast(({ to }) => to.address === "Florence@example.com");
          assert.equal((await find("flo")).email, "flo@example.com");
          assert.equal(await accounts.confirmEmailChange(tokenOf(mail), "ada", "user"), "invalid");
          assert.equal(await accounts.confirmEmailChange(tokenOf(mail), "flo", "user"), "changed");
          assert.equal(await accounts.confirmEmailChange(tokenOf(mail), "flo", "user"), "invalid");
          assert.equal((await find("flo")).email, "florence@example.com");
          assert.equal(await accounts.isVerified("flo"), true, "the address that is stored is verified");
          const notice = (await mails()).at(-1);
          assert.deepEqual(notice?.to, { address: "flo@example.com" });
          assert.doesNotMatch(notice?.text ?? "", /florence/i);
        });

        await t.test("an address that is taken by then is found by the unique constraint", async () => {
          await call("requestEmailChange", "flo", "ada@example.com");
          assert.equal(await accounts.confirmEmailChange(await lastToken(), "flo", "user"), "taken");
          assert.equal((await find("flo")).email, "florence@example.com");
        });

        await t.test("a request for a new address ends with the password, also before its mail is made", async () => {
          await call("requestEmailChange", "flo", "thief@example.com");
          await call("changePassword", "flo", "new password", "newer password");
          assert.ok((await mails()).every(({ to }) => to.address !== "thief@example.com"));
        });

        await t.test(
          "a request for a new address ends with the other logins, before and after its mail is made",
          async () => {
            await addUser("hal");
            for (const end of [() => call("endOtherSessions", "hal"), () => accounts.endSessions("hal", "user")]) {
              await call("requestEmailChange", "hal", "thief1@example.com");
              const token = await lastToken();
              const notice = (await mails()).findLast(({ to }) => to.address === "hal@example.com");
              assert.match(notice?.text ?? "", /^A change of the e-mail address of your account was requested\./);
              assert.match(notice?.text ?? "", /https:\/\/blog\.example\.com\/account\/reset\n/);
              await call("requestEmailChange", "hal", "thief2@example.com"); // its mail is made after the end
              await end();
              assert.equal(await accounts.confirmEmailChange(token, "hal", "user"), "invalid");
              assert.ok((await mails()).every(({ to }) => to.address !== "thief2@example.com"));
            }
            assert.equal((await find("hal")).email, "hal@example.com");
          },
        );

        await t.test("the second factor needs a verified address, and its changes are noticed", async () => {
          const factor = app.get(AccountSecondFactor);
          await addUser("gus");
          await assert.rejects(factor.begin("gus"), { status: 403 });
          const { recoveryCodes } = await enableFactor(app.get(SecondFactor), "flo", () => parts.clock.now());
          assert.equal(await app.get(SecondFactor).verify("flo", recoveryCodes[0] ?? ""), true);
          assert.match((await mails()).at(-1)?.text ?? "", /A recovery code of your account was used/);
          assert.equal((await factor.renewRecoveryCodes("flo", "user"))?.length, 10);
          assert.deepEqual(await accounts.state("flo"), {
            id: "flo",
            email: "florence@example.com",
            name: "flo",
            verified: true,
            second_factor: true,
            recovery_codes_left: 10,
          });
          assert.equal(await factor.disable("flo", "user"), true);
          assert.equal(await factor.disable("flo", "user"), false);
          const notices = (await mails()).slice(-2).map(({ text }) => text.split("\n", 1)[0]);
          assert.deepEqual(notices, [
            "New recovery codes were made for your account. The old ones are not valid.",
            "The second factor of your account was removed.",
          ]);
        });

        await t.test(
          "a second factor that is not enabled yet ends with the logins that may have begun it",
          async () => {
            const factor = app.get(AccountSecondFactor);
            await addUser("ivy");
            await accounts.verifyAs("system", "ivy");
            for (const end of [
              () => call("endOtherSessions", "ivy"),
              () => call("changePassword", "ivy", password, "new password"),
            ]) {
              await factor.begin("ivy");
              assert.notEqual(await factor.pending("ivy"), undefined);
              await end();
              assert.equal(await factor.pending("ivy"), undefined);
            }
            const { phone } = await enableFactor(app.get(SecondFactor), "ivy", () => parts.clock.now());
            parts.clock.advance("30s");
            await call("endOtherSessions", "ivy");
            assert.equal(await app.get(SecondFactor).verify("ivy", phone.code()), true, "an enabled one stays");
          },
        );

        await t.test("no job and no line of the log holds a token, a link or a password", async () => {
          const token = await lastToken();
          assert.deepEqual(await tablesWith(parts, token), []);
          assert.deepEqual(await tablesWith(parts, "?token="), []);
          assert.deepEqual(await tablesWith(parts, "new password"), []);
          const lines = JSON.stringify(parts.log.all);
          assert.ok(!lines.includes(token) && !lines.includes("?token=") && !lines.includes("new password"));
        });

        await t.test(
          "a stranger who registers and deletes an address sends it 20 mails in an hour at most",
          async () => {
            const before = (await mails()).length;
            for (let count = 0; count < 15; count++) {
              const id = `kim+${count}`; // of one mailbox
              await addUser(id);
              await databaseOf(parts)
                .transaction()
                .execute((transaction) => accounts.registered(id, { transaction }));
              await mails();
              await accounts.delete(id, "user");
            }
            const sent = (await mails()).slice(before);
            assert.ok(sent.every(({ to }) => /^kim\+\d+@example\.com$/.test(to.address)));
            assert.equal(sent.length, 20);
          },
        );

        await t.test("a deleted account leaves its notice and one entry of the audit log", async () => {
          const id = "7a0c3d1e-deleted";
          await addUser(id);
          await accounts.verifyAs("operator:root", id);
          const areValid = await openLogins(parts, id);
          await enableFactor(app.get(SecondFactor), id, () => parts.clock.now());
          await app.get(ApiKeys).create(id, { scopes: "all" });
          await app.get(AccountTokens).create("reset", await find(id));
          await accounts.requestResetAs("operator:root", await find(id));
          await call("requestEmailChange", id, "later@example.com");
          await accounts.delete(id, "user");
          // the key-value store keeps the stamp of the ended logins: refresh tokens of before must not be valid again
          const tables = (await tablesWith(parts, id)).filter((name) => name !== "tenon_key_value");
          assert.deepEqual(tables, ["account_events", "tenon_jobs"]);
          assert.deepEqual(await eventsOf(parts, id), ["account deleted by user"]);
          assert.deepEqual(await areValid(), [false, false]);
          assert.equal(await accounts.state(id), undefined);
          const texts = (await mails()).slice(-1).map(({ to, text }) => [to.address, text.split("\n", 1)[0]]);
          assert.deepEqual(texts, [[`${id}@example.com`, "Your account was deleted."]]);
          assert.deepEqual(await app.jobs.pending(), [], "the jobs of the other mails have ended quietly");
          assert.equal(await app.get(AccountUsers).find(id), undefined);
        });
      }),
    ));
}
