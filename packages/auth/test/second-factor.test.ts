import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SecondFactor } from "@tenon/auth";
import { HttpError } from "@tenon/core";
import { Database } from "@tenon/data";
import { databases, shared } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";
import { Authenticator, enableFactor } from "./support/authenticator.ts";

interface Parts extends AuthApp {
  readonly factor: SecondFactor;
  readonly now: () => number;
}

function withFactor(setup: Parameters<typeof withAuth>[0], body: (parts: Parts) => Promise<void>): Promise<void> {
  return withAuth(setup, (parts) =>
    body({ ...parts, factor: parts.app.get(SecondFactor), now: () => parts.clock.now() }),
  );
}

/** Few enough that the losers, which may be counted after the winner has cleared the count, leave guesses to the test. */
const raced = 3;

const isLimited = (error: unknown) =>
  error instanceof HttpError && error.status === 429 && Number(error.headers["retry-after"]) > 0;

for (const adapter of databases) {
  describe(`second factor on ${adapter.name}`, () => {
    const run = (name: string, body: (parts: Parts) => Promise<void>) =>
      test(name, () => adapter.with((data) => withFactor({ data }, body)));

    run("a secret counts once it was confirmed, and the code that confirmed it is used up", async (parts) => {
      const { factor, now } = parts;
      const { secret, uri } = await factor.begin("ada", "ada@example.com", "Blog");
      assert.equal(uri, `otpauth://totp/Blog:ada%40example.com?secret=${secret}&issuer=Blog`);
      assert.deepEqual(await factor.pending("ada", "ada@example.com", "Blog"), { secret, uri });
      const phone = new Authenticator(secret, now);
      assert.equal(await factor.isEnabled("ada"), false);
      assert.equal(await factor.verify("ada", phone.code()), false);
      assert.equal(await factor.confirm("ada", phone.wrongCode()), undefined);
      assert.equal(await factor.isEnabled("ada"), false);
      const codes = await factor.confirm("ada", phone.code());
      assert.equal(new Set(codes).size, 10);
      for (const code of codes ?? []) assert.match(code, /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
      assert.equal(await factor.isEnabled("ada"), true);
      assert.equal(await factor.pending("ada", "ada@example.com"), undefined);
      assert.equal(await factor.confirm("ada", phone.code(1)), undefined, "it is confirmed already");
      assert.equal(await factor.verify("ada", phone.code()), false);
      assert.equal(await factor.verify("ada", phone.code(1)), true);
    });

    run("a code is accepted once, and none of an older step after it (CVE-2026-103655)", async (parts) => {
      const { factor, clock, now } = parts;
      const { phone } = await enableFactor(factor, "ada", now);
      const code = phone.code();
      const results = await Promise.all(Array.from({ length: raced }, () => factor.verify("ada", code)));
      assert.equal(results.filter(Boolean).length, 1);
      clock.advance("60s");
      assert.equal(await factor.verify("ada", phone.code(1)), true);
      assert.equal(await factor.verify("ada", phone.code()), false, "older than the last one");
    });

    run("codes one step away are right, and those two steps away are wrong", async ({ factor, clock, now }) => {
      const { phone } = await enableFactor(factor, "ada", now);
      clock.advance("5m");
      for (const offset of [-2, 2]) assert.equal(await factor.verify("ada", phone.code(offset)), false);
      for (const offset of [-1, 0, 1]) assert.equal(await factor.verify("ada", phone.code(offset)), true);
    });

    run("a recovery code works once, in any form, and never for another user (CVE-2026-78619)", async (parts) => {
      const { factor, now } = parts;
      const [ada, eve] = [await enableFactor(factor, "ada", now), await enableFactor(factor, "eve", now)];
      const [first = "", second = ""] = ada.recoveryCodes;
      assert.equal(await factor.verify("eve", first), false);
      const warnings: string[][] = [];
      factor.onWarning((...warning) => void warnings.push(warning));
      const typed = ` ${first.toLowerCase().replaceAll("-", " – ")}`;
      const results = await Promise.all(Array.from({ length: raced }, () => factor.verify("ada", typed)));
      assert.equal(results.filter(Boolean).length, 1);
      assert.deepEqual(warnings, [["ada", "recovery code used"]]);
      assert.equal(await factor.recoveryCodesLeft("ada"), 9);
      const renewed = await factor.renewRecoveryCodes("ada");
      assert.equal(await factor.recoveryCodesLeft("ada"), 10);
      assert.equal(await factor.verify("ada", second), false);
      assert.equal(await factor.verify("ada", renewed?.[0] ?? ""), true);
      assert.equal(await factor.verify("eve", `${eve.phone.code().slice(0, 3)} ${eve.phone.code().slice(3)}`), true);
      assert.equal(await factor.renewRecoveryCodes("bob"), undefined);
    });

    run("what a caller writes alongside fails together with the factor or its new codes", async ({ factor, now }) => {
      const fail = () => Promise.reject(new Error("rolled back"));
      const { secret } = await factor.begin("ada", "ada@example.com");
      const phone = new Authenticator(secret, now);
      await assert.rejects(factor.confirm("ada", phone.code(), fail), /rolled back/);
      assert.equal(await factor.isEnabled("ada"), false);
      const [code = ""] = (await factor.confirm("ada", phone.code(), async () => {})) ?? [];
      await assert.rejects(factor.renewRecoveryCodes("ada", fail), /rolled back/);
      assert.equal(await factor.verify("ada", code), true, "the old codes are valid");
    });

    run("a confirmed factor is replaced only after it was disabled, with its codes", async ({ factor, app, now }) => {
      const { phone, recoveryCodes } = await enableFactor(factor, "ada", now);
      const refused = (error: unknown) => error instanceof HttpError && error.status === 409;
      await assert.rejects(factor.begin("ada", "ada@example.com"), refused);
      const rollBack = app
        .get(Database)
        .transaction()
        .execute(async (transaction) => {
          assert.equal(await factor.disable("ada", transaction), true);
          throw new Error("rolled back");
        });
      await assert.rejects(rollBack, /rolled back/);
      assert.equal(await factor.isEnabled("ada"), true);
      assert.equal(await factor.disable("ada"), true);
      assert.equal(await factor.disable("ada"), false);
      assert.equal(await factor.recoveryCodesLeft("ada"), 0);
      for (const code of [phone.code(), recoveryCodes[0] ?? ""]) assert.equal(await factor.verify("ada", code), false);
      await enableFactor(factor, "ada", now);
      assert.equal(await factor.verify("ada", recoveryCodes[0] ?? ""), false, "codes of the first one");
    });
  });
}

test("the database holds neither the secret nor a recovery code, and a row copied to another user is worthless", () =>
  withFactor({}, async ({ factor, app, now }) => {
    const { secret } = await factor.begin("ada", "ada@example.com");
    const phone = new Authenticator(secret, now);
    const codes = (await factor.confirm("ada", phone.code(-1))) ?? [];
    await enableFactor(factor, "eve", now);
    // biome-ignore lint/suspicious/noExplicitAny: tables that no schema type of a test describes
    const db = app.get(Database) as Database<any>;
    const factors = await db.selectFrom("auth_second_factors").selectAll().where("user_id", "=", "ada").execute();
    const rows = JSON.stringify([factors, await db.selectFrom("auth_recovery_codes").selectAll().execute()]);
    for (const clear of [secret, ...codes, ...codes.map((code) => code.replaceAll("-", ""))])
      assert.ok(!rows.includes(clear));
    await db
      .updateTable("auth_second_factors")
      .set({ secret: factors[0]?.secret })
      .where("user_id", "=", "eve")
      .execute();
    assert.equal(await factor.verify("eve", phone.code()), false);
    assert.equal(await factor.verify("ada", phone.code()), true);
  }));

for (const adapter of shared) {
  test(`5 wrong codes lead to 429 on every instance, and a right one clears the count (${adapter.name})`, () =>
    adapter.with((data) =>
      withFactor({ data }, (one) =>
        withFactor({ data }, async (two) => {
          const user = `ada-${process.hrtime.bigint()}`; // Redis is shared with other tests
          const { phone, recoveryCodes } = await enableFactor(one.factor, user, one.now);
          for (let guess = 0; guess < 4; guess++) assert.equal(await one.factor.verify(user, phone.wrongCode()), false);
          assert.equal(await one.factor.verify(user, phone.code()), true);
          const wrong = phone.wrongCode();
          const looked = await Promise.allSettled(
            Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : two).factor.verify(user, wrong)),
          );
          const refused = looked.filter((result) => result.status === "rejected");
          assert.equal(refused.length, 95);
          for (const { reason } of refused) assert.ok(isLimited(reason), String(reason));
          await assert.rejects(two.factor.verify(user, phone.code(1)), isLimited, "the right code is refused, too");
          await assert.rejects(one.factor.verify(user, recoveryCodes[0] ?? ""), isLimited);
        }),
      ),
    ));
}

test("each time that 5 wrong codes are used up, there is one warning and the next window is twice as long", () =>
  withFactor({}, async ({ factor, now, log }) => {
    const { phone } = await enableFactor(factor, "ada", now);
    const warnings: string[][] = [];
    factor.onWarning((...warning) => void warnings.push(warning));
    factor.onWarning(() => Promise.reject(new Error("a listener that fails")));
    const refusal = async () => Number((await factor.verify("ada", phone.wrongCode()).catch(toRetryAfter)) || 0);
    for (const seconds of [300, 600, 1200]) {
      for (let guess = 0; guess < 5; guess++) assert.equal(await refusal(), 0);
      const waits = [await refusal(), await refusal()];
      for (const wait of waits) assert.ok(wait > seconds / 2 && wait <= seconds, `${wait} of ${seconds}`);
      await factor.clearFailures("ada");
    }
    assert.deepEqual(warnings, Array(3).fill(["ada", "wrong codes"]));
    assert.equal(log.all.filter(({ msg }) => msg === "the user could not be told: wrong codes").length, 3);
    assert.equal(await factor.verify("ada", phone.code(1)), true);
  }));

function toRetryAfter(error: unknown): string | undefined {
  assert.ok(isLimited(error), String(error));
  return error instanceof HttpError ? error.headers["retry-after"] : undefined;
}

test("after the secret of the module has changed, codes are wrong and recovery codes work, with one warning", () =>
  shared[0]?.with(async (data) => {
    let known: Awaited<ReturnType<typeof enableFactor>> | undefined;
    await withFactor({ data }, async ({ factor, now }) => {
      known = await enableFactor(factor, "ada", now);
    });
    const { phone, recoveryCodes } = known ?? assert.fail();
    const auth = { secondFactorSecret: "another secret of the tests, 32 b" };
    await withFactor({ data, auth }, async ({ factor, log }) => {
      assert.equal(await factor.isEnabled("ada"), true);
      for (const offset of [0, 1]) assert.equal(await factor.verify("ada", phone.code(offset)), false);
      assert.equal(await factor.verify("ada", recoveryCodes[0] ?? ""), true);
      assert.equal(log.all.filter(({ msg }) => String(msg).includes("encrypted with another secret")).length, 1);
    });
    const kept = { secret: false, secondFactorSecret: "a secret of the tests, with 32 b" } as const;
    await withFactor({ data, auth: kept }, async ({ factor }) => {
      assert.equal(await factor.verify("ada", phone.code()), true, "secondFactorSecret takes over from secret");
    });
  }));

test("without any secret, a second factor cannot begin", () =>
  withFactor({ auth: { secret: false } }, async ({ factor }) => {
    await assert.rejects(factor.begin("ada", "ada@example.com"), /Give it the option secondFactorSecret/);
    assert.equal(await factor.isEnabled("ada"), false);
  }));
