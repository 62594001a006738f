import assert from "node:assert/strict";
import { test } from "node:test";
import { Passwords } from "@tenon/auth";
import { Clock } from "@tenon/core";
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

test("20,000 ids are all different, random UUIDs of version 4 (A19)", () => {
  const clock = new Clock();
  const ids = new Set(Array.from({ length: 20_000 }, () => clock.uuid()));
  assert.equal(ids.size, 20_000);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // a bit that is set in less than 43 % of 10,000 is fourteen standard deviations away from random
  const numbers = [...ids].slice(0, 10_000).map((id) => Buffer.from(id.replaceAll("-", ""), "hex"));
  for (let bit = 0; bit < 128; bit++) {
    if ((bit >= 48 && bit < 52) || bit === 64 || bit === 65) continue; // version and variant
    const count = numbers.filter((bytes) => ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1).length;
    assert.ok(count > 4300 && count < 5700, `bit ${bit} is set in ${count} of 10,000`);
  }
});
