import assert from "node:assert/strict";
import { test } from "node:test";
import { findStep, stepAt, toBase32, totp, toUri } from "../src/totp.ts";

const key = Buffer.from("12345678901234567890");

test("the codes are those of RFC 6238, appendix B, in 8 and 6 digits", () => {
  const vectors: readonly (readonly [seconds: number, code: string])[] = [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ];
  for (const [seconds, code] of vectors) {
    assert.equal(totp(key, stepAt(seconds * 1000), 8), code);
    assert.equal(totp(key, stepAt(seconds * 1000)), code.slice(2));
  }
});

test("base32 is that of RFC 4648, section 10, without padding", () => {
  const vectors = {
    "": "",
    f: "MY",
    fo: "MZXQ",
    foo: "MZXW6",
    foob: "MZXW6YQ",
    fooba: "MZXW6YTB",
    foobar: "MZXW6YTBOI",
  };
  for (const [text, encoded] of Object.entries(vectors)) assert.equal(toBase32(Buffer.from(text)), encoded);
  assert.equal(toBase32(Buffer.alloc(10, 0xff)), "7".repeat(16));
});

test("a code is right for its step and one before and after, and no further", () => {
  const now = 1_800_000_010_000;
  const current = stepAt(now);
  const found = [-2, -1, 0, 1, 2].map((offset) => findStep(key, totp(key, current + offset), now));
  assert.deepEqual(found, [undefined, current - 1, current, current + 1, undefined]);
  for (const wrong of ["", "12345", "1234567", "abcdef"]) assert.equal(findStep(key, wrong, now), undefined);
});

test("the address for a QR code escapes what separates its parts", () => {
  assert.equal(
    toUri("MZXW6", "ada:b&c@example.com", "Ada's Blog?"),
    "otpauth://totp/Ada's%20Blog%3F:ada%3Ab%26c%40example.com?secret=MZXW6&issuer=Ada's%20Blog%3F",
  );
});
