import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Signs texts for one purpose: what was signed for another one does not count, although the secret is the same. */
export class Signature {
  readonly #key: Uint8Array;

  constructor(secret: string, purpose: string) {
    this.#key = createHmac("sha256", secret).update(purpose).digest();
  }

  /** 32 bytes that nobody can tell without the secret. */
  of(text: string): Uint8Array {
    return createHmac("sha256", this.#key).update(text).digest();
  }

  /** `text.signature`. */
  sign(text: string): string {
    return `${text}.${this.#encode(text)}`;
  }

  /** The text that was signed; undefined when it was not, not for this purpose, not with this secret, or was altered. */
  verify(signed: string): string | undefined {
    const dot = signed.lastIndexOf(".");
    if (dot < 0) return undefined;
    const text = signed.slice(0, dot);
    // compared as text: decoded, several spellings would stand for one signature
    return isSameSecret(signed.slice(dot + 1), this.#encode(text)) ? text : undefined;
  }

  #encode(text: string): string {
    return Buffer.from(this.of(text)).toString("base64url");
  }
}

/** Takes as long for a good guess as for a bad one: digests are compared, which have one length and tell nothing. */
export function isSameSecret(left: string | Uint8Array, right: string | Uint8Array): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(secret: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
