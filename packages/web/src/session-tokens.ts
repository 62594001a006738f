import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A text → 32 bytes that cannot be made without the secret. A signature for one purpose is not valid for another. */
export function createSigner(secret: string, purpose: string): (text: string) => Buffer {
  const key = createHmac("sha256", secret).update(purpose).digest();
  return (text) => createHmac("sha256", key).update(text).digest();
}

export interface Identity {
  readonly id: string;
  /** Milliseconds since 1970. A cookie is valid for `maxAge` from then on, whatever the browser does with it. */
  readonly issued: number;
}

const cookieForm = /^([A-Za-z0-9_-]{43})\.([0-9a-z]{1,11})\.([A-Za-z0-9_-]{43})$/;

/** The session's cookie: `id.issued.signature`. */
export class SessionCookie {
  readonly name: string;
  /** Seconds. */
  readonly maxAge: number;
  readonly #sign: (text: string) => Buffer;

  constructor(name: string, maxAge: number, secret: string) {
    this.name = name;
    this.maxAge = maxAge;
    this.#sign = createSigner(secret, `cookie ${name}`);
  }

  create(now: number): Identity {
    return { id: randomBytes(32).toString("base64url"), issued: now };
  }

  /** Undefined for a cookie that this application has not signed, and for one that is too old. */
  read(text: string, now: number): Identity | undefined {
    const [, id, time, signature] = cookieForm.exec(text) ?? [];
    if (id === undefined || time === undefined || signature === undefined) return undefined;
    const expected = this.#sign(`${id}.${time}`).toString("base64url");
    // compared as text: a decoder accepts several spellings of the last character
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
    const issued = Number.parseInt(time, 36);
    return issued + this.maxAge * 1000 > now ? { id, issued } : undefined;
  }

  write({ id, issued }: Identity): string {
    const text = `${id}.${issued.toString(36)}`;
    return `${text}.${this.#sign(text).toString("base64url")}`;
  }

  /** Past half of its time: renewed then, a session in daily use never expires. */
  isAgeing({ issued }: Identity, now: number): boolean {
    return issued + this.maxAge * 500 < now;
  }
}

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
