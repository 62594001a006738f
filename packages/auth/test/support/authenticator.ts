import assert from "node:assert/strict";
import type { SecondFactor } from "@tenon/auth";
import { stepAt, totp } from "../../src/totp.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The application on a user's phone: it knows the secret as `begin()` has shown it. */
export class Authenticator {
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor(secret: string, now: () => number = Date.now) {
    const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
    this.#key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
    this.#now = now;
  }

  /** The code of this step, or of one before or after it. */
  code(offset = 0): string {
    return totp(this.#key, stepAt(this.#now()) + offset);
  }

  /** Six digits that are not a code of any step nearby. */
  wrongCode(): string {
    const near = [-2, -1, 0, 1, 2].map((offset) => this.code(offset));
    return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code)) ?? "";
  }
}

/** Enables a second factor. The code of the step before this one is used up by it. */
export async function enableFactor(factor: SecondFactor, userId: string, now: () => number = Date.now) {
  const { secret } = await factor.begin(userId, `${userId}@example.com`);
  const phone = new Authenticator(secret, now);
  const recoveryCodes = await factor.confirm(userId, phone.code(-1));
  assert.ok(recoveryCodes !== undefined);
  return { phone, recoveryCodes };
}
