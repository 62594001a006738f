import { randomBytes, timingSafeEqual } from "node:crypto";
import { createSigner } from "./session-cookie.ts";

const size = 32;
const tokenForm = /^[A-Za-z0-9_-]{86}$/;

/** CSRF tokens that are valid for one session id, without a store. */
export class CsrfTokens {
  readonly #sign: (text: string) => Buffer;

  constructor(secret: string) {
    this.#sign = createSigner(secret, "csrf");
  }

  /** Masked with random bytes: equal bytes in every compressed page could be guessed one by one (BREACH, CVE-2013-3587). */
  create(id: string): string {
    const mask = randomBytes(size);
    return Buffer.concat([mask, xor(mask, this.#sign(id))]).toString("base64url");
  }

  isFor(id: string, token: string): boolean {
    if (!tokenForm.test(token)) return false;
    const bytes = Buffer.from(token, "base64url");
    return timingSafeEqual(xor(bytes.subarray(0, size), bytes.subarray(size)), this.#sign(id));
  }
}

function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] as number)); // both have the same size
}
