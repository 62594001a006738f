import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Tokens of forms: each is for one address, and for one process. A page of another site cannot read one. */
export class PageTokens {
  readonly #secret = randomBytes(32);

  create(path: string): string {
    return this.#sign(path).toString("base64url");
  }

  isFor(path: string, token: string): boolean {
    const given = Buffer.from(token, "base64url");
    const expected = this.#sign(path);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #sign(path: string): Buffer {
    return createHmac("sha256", this.#secret).update(path).digest();
  }
}
