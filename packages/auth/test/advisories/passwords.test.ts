import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiKeys, Passwords, RefreshTokens, Sessions } from "@tenon/auth";
import { getRounds } from "bcrypt";
import { dummyHash } from "../../src/passwords.ts";
import { withAuth } from "../support/auth-app.ts";
import { leastMillisecondsOf } from "../support/processor-time.ts";

test("the characters after a NUL in a password count (A4)", () =>
  withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const stored = await passwords.hash("abc\0def");
    assert.equal(await passwords.matches("abc\0def", stored), true);
    for (const other of ["abc\0zzz", "abc", "abc\0", "abc\0def\0"]) {
      assert.equal(await passwords.matches(other, stored), false, JSON.stringify(other));
    }
  }));

test("the password of an unknown user is compared with a dummy hash of the current cost (A3, CVE-2025-13473, better-auth af2950e5)", async () => {
  for (let cost = 10; cost <= 15; cost++) {
    assert.equal(getRounds(dummyHash(cost)), cost);
    assert.equal(dummyHash(cost).length, 60, "bcrypt returns at once for a malformed hash");
  }
  await withAuth({}, async ({ app }) => {
    const passwords = app.get(Passwords);
    const stored = await passwords.hash("another password");
    const known = await leastMillisecondsOf(() => passwords.matches("correct horse", stored), 3);
    const unknown = await leastMillisecondsOf(() => passwords.matches("correct horse", undefined), 3);
    assert.ok(unknown > 0.4 * known && unknown < 2.5 * known, `${unknown} ms and ${known} ms`);
  });
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The bits of the version and the variant. */
const isFixed = (bit: number) => (bit >= 48 && bit < 52) || bit === 64 || bit === 65;

test("session ids, refresh tokens and API keys that are made at one time are all different and random in every bit (A19)", () =>
  withAuth({}, async ({ app }) => {
    const [sessions, tokens, keys] = [app.get(Sessions), app.get(RefreshTokens), app.get(ApiKeys)];
    const users = Array.from({ length: 5000 }, (_, index) => `user ${index}`);
    const ids = await Promise.all(users.map((user) => sessions.create(user)));
    const refreshTokens = await Promise.all(users.map((user) => tokens.generate(user)));
    for (const id of [...ids, ...refreshTokens]) assert.match(id, uuid);
    const secrets: string[] = [];
    for (const user of users) secrets.push((await keys.create(user, { scopes: "all" })).key);
    assert.equal(new Set([...ids, ...refreshTokens, ...secrets]).size, 15_000);
    const toBytes = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");
    assertRandom([...ids.map(toBytes), ...refreshTokens.map(toBytes)], 128, isFixed);
    assertRandom(
      secrets.map((key) => Buffer.from(key.slice("tnn_".length), "base64url")),
      256,
    );
  }));

/** A bit that is set in less than 43 % of 5,000 is ten standard deviations away from random. */
function assertRandom(numbers: readonly Buffer[], bits: number, isFixed = (_: number) => false): void {
  for (let bit = 0; bit < bits; bit++) {
    if (isFixed(bit)) continue;
    const count = numbers.filter((bytes) => ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1).length / numbers.length;
    assert.ok(count > 0.43 && count < 0.57, `bit ${bit} is set in ${100 * count} %`);
  }
}
