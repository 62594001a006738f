import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { PasswordLogin, Passwords, useFastPasswords } from "@tenon/auth";
import { type Context, HttpError, inject, type Routes } from "@tenon/core";
import { compare, getRounds, hash, hashSync } from "bcrypt";
import { until } from "../../core/test/support/until.ts";
import { dummyHash } from "../src/passwords.ts";
import { testOnBothTransports, withAuth } from "./support/auth-app.ts";

test("a password matches its own hash only", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const stored = await passwords.hash("correct horse");
    assert.match(stored, /^\$2b\$10\$[./A-Za-z0-9]{53}$/);
    assert.equal(await passwords.matches("correct horse", stored), true);
    for (const wrong of ["correct hors", "correct horse ", "Correct horse", ""]) {
      assert.equal(await passwords.matches(wrong, stored), false, wrong);
    }
    assert.notEqual(await passwords.hash("correct horse"), stored, "salted");
  }));

test("a password of 72 bytes is accepted, and a longer one is refused, not truncated", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const prefix = "x".repeat(72);
    const stored = await passwords.hash(prefix);
    assert.equal(await passwords.matches(prefix, stored), true);
    assert.equal(await compare(`${prefix}Y`, stored), true, "bcrypt itself truncates, which is why the rule exists");
    assert.equal(await passwords.matches(`${prefix}Y`, stored), false);
    await assert.rejects(passwords.hash(`${prefix}X`), {
      name: "BindError",
      issues: [{ path: "password", rule: "max", message: "must have at most 72 bytes" }],
    });
  }));

test("the limit of a password counts bytes, not characters", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    assert.equal(passwords.fits("é".repeat(36)), true);
    assert.equal(passwords.fits("é".repeat(37)), false);
    assert.equal(passwords.fits("😀".repeat(18)), true);
    assert.equal(passwords.fits("😀".repeat(18).concat("a")), false);
  }));

test("the characters after a zero byte count", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const stored = await passwords.hash("abc\0def");
    assert.equal(await passwords.matches("abc\0def", stored), true);
    for (const other of ["abc\0zzz", "abc", "abc\0"]) assert.equal(await passwords.matches(other, stored), false);
  }));

test("a password with a lone surrogate is refused, because UTF-8 encodes all of them alike", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const stored = await passwords.hash("password\ufffd");
    assert.equal(
      await compare("password\ud800", stored),
      true,
      "bcrypt itself truncates, which is why the rule exists",
    );
    assert.equal(await passwords.matches("password\ud800", stored), false);
    assert.equal(await passwords.matches("password\ufffd", stored), true);
    await assert.rejects(passwords.hash("password\ud800"), { name: "BindError" });
  }));

test("the dummy hash makes bcrypt do the full work of the current cost", async () => {
  for (let cost = 10; cost <= 15; cost++) assert.equal(getRounds(dummyHash(cost)), cost);
  const dummy = dummyHash(10);
  assert.equal(dummy.length, 60);
  // bcrypt returns false at once for a hash without a usable salt; with this one it does the full work
  const worked = hashSync("any password", dummy);
  assert.equal(worked.slice(0, 29), dummy.slice(0, 29));
  assert.equal(worked.length, 60);
  assert.notEqual(worked, dummy);
  assert.equal(await compare("any password", dummy), false);
  assert.equal(await compare("does not fit", dummy), false);
});

test("without a stored hash nothing matches, not even the password of the dummy hash", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    for (const password of ["", "password", "does not fit", "x".repeat(73)]) {
      assert.equal(await passwords.matches(password, undefined), false);
    }
    const stored = await passwords.hash("does not fit");
    assert.equal(
      await passwords.matches("x".repeat(73), stored),
      false,
      "the text used in place of a long password does not match either",
    );
  }));

test("a hash of a lower cost is outdated, one of the same or a higher cost is not", async () => {
  await withAuth({ auth: { bcryptCost: 11 } }, async ({ app }) => {
    const passwords = app.get(Passwords);
    const low = await hash("p", 10);
    assert.deepEqual(
      [low, dummyHash(10), dummyHash(11), dummyHash(12)].map((stored) => passwords.isOutdated(stored)),
      [true, true, false, false],
    );
    assert.equal(await passwords.matches("p", low), true, "an outdated hash still works");
  });
});

test("the event loop is not blocked while passwords are hashed", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    let done = false;
    let turns = 0;
    const work = Promise.all([passwords.hash("one"), passwords.matches("two", undefined)]).finally(() => {
      done = true;
    });
    while (!done) {
      turns++;
      await turn();
    }
    await work;
    // with hashing on the main thread there would be one or two turns
    assert.ok(turns > 20, `${turns} turns`);
  }));

/** Logins and hashes that begin together. */
class Turns {
  readonly #passwords = inject(Passwords);
  readonly #login = inject(PasswordLogin);
  readonly begin = Promise.withResolvers<void>();
  readonly ended: string[] = [];
  arrived = 0;

  routes(): Routes {
    return [
      { method: "POST", path: "/login", handler: this.login },
      { method: "POST", path: "/register", handler: this.register },
    ];
  }

  login(ctx: Context) {
    const account = ctx.request().address();
    return this.#run(ctx, () => this.#login.check({ account, password: "p", find: async () => undefined }, ctx));
  }

  register(ctx: Context) {
    return this.#run(ctx, () => this.#passwords.hash("p", ctx));
  }

  async #run(ctx: Context, work: () => Promise<unknown>): Promise<void> {
    this.arrived++;
    await this.begin.promise;
    await work();
    this.ended.push(ctx.request().address());
  }
}

for (const path of ["/login", "/register"]) {
  test(`one network with many passwords does not keep another one waiting for all of them: POST ${path}`, () =>
    withAuth({ declarations: [Turns], api: { trustedProxies: ["127.0.0.1"] } }, async ({ app }) => {
      const { url } = await app.listen({ port: 0, signals: false });
      const turns = app.get(Turns);
      const other = "2001:db8:0:2::1";
      const addresses = [...Array.from({ length: 12 }, (_, host) => `2001:db8:0:1::${host + 1}`), other];
      const sent: Promise<Response>[] = [];
      for (const address of addresses) {
        sent.push(fetch(url + path, { method: "POST", headers: { "x-forwarded-for": address } }));
        await until(() => turns.arrived === sent.length, "request");
      }
      turns.begin.resolve();
      for (const { status } of await Promise.all(sent)) assert.equal(status, 204);
      assert.ok(turns.ended.indexOf(other) < 8, turns.ended.join(" "));
    }));
}

const places = Math.min(2, Math.max(1, availableParallelism() - 1));

test("a caller that the queue has no room for gets 503 and Retry-After, and the others are served", () =>
  withAuth({ auth: { passwordWait: 120 } }, async ({ app }) => {
    const passwords = app.get(Passwords);
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, () => passwords.matches("password", undefined)),
    );
    const served = results.filter((result) => result.status === "fulfilled");
    const refused = results.filter((result) => result.status === "rejected").map((result): unknown => result.reason);
    // the running ones, and those that may wait for the time of two; on a slow machine some of these time out
    assert.ok(served.length >= places && served.length <= 3 * places, `${served.length} served`);
    assert.equal(served.length + refused.length, 30);
    for (const error of refused) {
      assert.ok(error instanceof HttpError);
      assert.equal(error.status, 503);
      assert.match(error.headers["retry-after"] ?? "", /^[1-9][0-9]*$/);
    }
    assert.equal(await passwords.matches("password", undefined), false, "the queue is empty again");
  }));

class Logins {
  readonly #passwords = inject(Passwords);

  routes(): Routes {
    return [{ method: "GET", path: "/login", handler: this.login }];
  }

  async login(ctx: Context) {
    return this.#passwords.matches(ctx.query("password"), undefined);
  }
}

testOnBothTransports(
  "a client that the queue rejects gets 503 with Retry-After and no details",
  { declarations: [Logins], auth: { passwordWait: 1 } },
  async (ask) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask("/login?password=x")));
    const refused = replies.filter(({ status }) => status === 503);
    assert.ok(refused.length > 0);
    assert.equal(replies.filter(({ status }) => status === 200).length, replies.length - refused.length);
    for (const { body, headers } of refused) {
      assert.deepEqual(body, { error: "Service Unavailable" });
      assert.match(headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);
    }
  },
);

test("useFastPasswords() lowers the cost of an application, and its hashes are outdated without it", async () => {
  const stored = await withAuth({ override: [useFastPasswords()] }, async ({ app }) => {
    const passwords = app.get(Passwords);
    const hashed = await passwords.hash("correct horse");
    assert.equal(getRounds(hashed), 4);
    assert.equal(await passwords.matches("correct horse", hashed), true);
    assert.equal(await passwords.matches("correct horse", undefined), false);
    return hashed;
  });
  await withAuth({}, async ({ app }) => assert.equal(app.get(Passwords).isOutdated(stored), true));
});
