import { createHmac, timingSafeEqual } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const stepMilliseconds = 30_000;
/** Steps that the clock of a phone may differ by, in each direction (RFC 6238, 5.2). */
const skew = 1;

/** Base32 without padding (RFC 4648, 6), as authenticator applications take it. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff; // at most 4 bits are left over from the byte before
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(held >>> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

/** The code of one step (RFC 4226, 5.3). Authenticator applications know only SHA-1 and 6 digits for certain. */
export function totp(key: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step of a time in milliseconds. */
export function stepAt(now: number): number {
  return Math.floor(now / stepMilliseconds);
}

/** The newest step around a time that has this code; undefined when the code is wrong. */
export function findStep(key: Uint8Array, code: string, now: number): number | undefined {
  const given = Buffer.from(code);
  const current = stepAt(now);
  let found: number | undefined;
  for (let step = current - skew; step <= current + skew; step++) {
    const expected = Buffer.from(totp(key, step));
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = step;
  }
  return found;
}

/** What a QR code holds, in the format of authenticator applications. */
export function toUri(secret: string, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
