import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameSecret, Signature } from "../src/signature.ts";

const secret = "a secret that is long enough for anybody";
const signature = new Signature(secret, "cookie a");

test("what was signed comes back, whatever is in it", () => {
  for (const text of ["value", "", ".", "a.b.c", "ä €", "=;, %00"]) {
    assert.equal(signature.verify(signature.sign(text)), text, JSON.stringify(text));
  }
});

test("an altered text, an altered signature and no signature at all give nothing", () => {
  const signed = signature.sign("value");
  const [text = "", mac = ""] = signed.split(".");
  const altered = mac.startsWith("A") ? `B${mac.slice(1)}` : `A${mac.slice(1)}`;
  for (const forged of [
    "",
    ".",
    text,
    `${text}.`,
    mac,
    `.${mac}`,
    `valuf.${mac}`,
    `value..${mac}`,
    `${text}.${altered}`,
    `${text}.${mac.slice(0, -1)}`,
    `${signed}A`,
    `${signed}=`,
    ` ${signed}`,
    `${signed} `,
    signed.toUpperCase(),
    `${text}.${mac}.${mac}`,
  ]) {
    assert.equal(signature.verify(forged), undefined, JSON.stringify(forged));
  }
});

test("every other spelling of a signature's last character is refused, although it decodes to the same bytes", () => {
  const signed = signature.sign("value");
  const last = signed.at(-1) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const sameBytes = [...alphabet].filter((other) => {
    const spelled = Buffer.from(`${signed.slice(signed.indexOf(".") + 1, -1)}${other}`, "base64url");
    return other !== last && spelled.equals(Buffer.from(signed.slice(signed.indexOf(".") + 1), "base64url"));
  });
  assert.ok(sameBytes.length > 0); // 43 characters have two bits more than 32 bytes
  for (const other of sameBytes) assert.equal(signature.verify(`${signed.slice(0, -1)}${other}`), undefined, other);
});

test("another secret and another purpose sign differently", () => {
  const signed = signature.sign("value");
  assert.equal(new Signature(`${secret}.`, "cookie a").verify(signed), undefined);
  assert.equal(new Signature(secret, "cookie b").verify(signed), undefined);
  assert.equal(new Signature(secret, "csrf").verify(signed), undefined);
  assert.equal(new Signature(secret, "cookie a").verify(signed), "value");
});

test("secrets are the same only when every byte is, of any length", () => {
  assert.equal(isSameSecret("abc", "abc"), true);
  assert.equal(isSameSecret("abc", new TextEncoder().encode("abc")), true);
  for (const other of ["", "ab", "abcd", "abd", "Abc"]) assert.equal(isSameSecret("abc", other), false, other);
});
