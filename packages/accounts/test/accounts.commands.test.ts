import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { Accounts } from "@tenon/accounts";
import { SecondFactor, Sessions, useFastPasswords } from "@tenon/auth";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { Database } from "@tenon/data";
import { sentMails } from "@tenon/mail/testing";
import { enableFactor } from "../../auth/test/support/authenticator.ts";
import { createAccountsModule, type UserTables } from "./support/accounts-app.ts";

test("operators verify, reset, disable the second factor and end sessions; the audit log names them", async () => {
  const module = createAccountsModule({ database: "sqlite::memory:" });
  const app = await createTestApp(module, cli({ name: "blog" }), { override: [useFastPasswords()] });
  try {
    const db = app.get(Database) as Database<UserTables>; // the migration of TestUsers has made the table
    await db.insertInto("users").values({ id: "ada", email: "ada@example.com", name: "Ada", password: "" }).execute();
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await app.run(["accounts", ...words, "--json"]);
      return code === 0 ? JSON.parse(stdout) : stderr.trim();
    };

    assert.deepEqual(await run("verify", "ADA@example.com"), { email: "ada@example.com", verified: true });
    assert.equal(await app.get(Accounts).isVerified("ada"), true);

    assert.deepEqual(await run("reset", "ada@example.com"), { email: "ada@example.com", mail: "queued" });
    assert.deepEqual(
      (await sentMails(app)).map(({ to, subject }) => [to.address, subject]),
      [["ada@example.com", "Reset your password for Blog"]],
    );

    assert.match(await run("disable-2fa", "ada@example.com"), /ada@example\.com has no second factor/);
    await enableFactor(app.get(SecondFactor), "ada");
    assert.deepEqual(await run("disable-2fa", "ada@example.com"), { email: "ada@example.com", second_factor: false });
    assert.equal(await app.get(SecondFactor).isEnabled("ada"), false);

    const session = await app.get(Sessions).create("ada");
    assert.deepEqual(await run("end-sessions", "ada@example.com"), { email: "ada@example.com", sessions: "ended" });
    assert.equal(await app.get(Sessions).find(session), undefined);

    assert.match(await run("verify", "bob@example.com"), /no account has the address bob@example\.com/);
    const log = (await run("log", "ada@example.com")) as { readonly event: string; readonly actor: string }[]; // as listed
    assert.deepEqual(log.map(({ event }) => event).sort(), [
      "address verified",
      "reset requested",
      "second factor disabled",
      "sessions ended",
    ]);
    assert.ok(log.every(({ actor }) => actor === `operator:${userInfo().username}`));
    assert.equal((await run("log", "ada@example.com", "--limit=1")).length, 1);
  } finally {
    await app.stop();
  }
});
