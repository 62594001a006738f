import assert from "node:assert/strict";
import { test } from "node:test";
import { CsrfTokens } from "../../src/sessions/csrf-tokens.ts";
import { createSigner, SessionCookie } from "../../src/sessions/session-cookie.ts";

const secret = "a secret that is long enough for any test";
const now = Date.UTC(2030, 0, 1);
const ages = { maxAge: 100, guestMaxAge: 10 };
const cookie = new SessionCookie("tenon_session", ages, secret);

test("ids have 256 random bits, and a cookie needs no encoding", () => {
  const ids = Array.from({ length: 1000 }, () => cookie.create(now).id);
  assert.equal(new Set(ids).size, 1000);
  for (const id of ids) assert.equal(Buffer.from(id, "base64url").byteLength, 32);
  assert.match(cookie.write(cookie.create(now)), /^[A-Za-z0-9_.-]{60,128}$/);
});

test("a cookie is valid to the last millisecond of its age, and then invalid", () => {
  for (const hasUser of [true, false]) {
    const { id, issued } = cookie.create(now, { hasUser });
    const text = cookie.write({ id, issued, hasUser });
    assert.deepEqual(cookie.read(text, now + 99_999), { id, issued, hasUser });
    assert.equal(cookie.read(text, now + 100_000), undefined);
  }
});

test("a cookie ages when half of the time is over for which its session is kept", () => {
  const [user, guest] = [cookie.create(now, { hasUser: true }), cookie.create(now)];
  assert.equal(cookie.isAgeing(user, now + 50_000), false);
  assert.equal(cookie.isAgeing(user, now + 50_001), true);
  assert.equal(cookie.isAgeing(guest, now + 5000), false);
  assert.equal(cookie.isAgeing(guest, now + 5001), true);
});

test("a guest's cookie cannot be made one of a user, nor the reverse", () => {
  const [user, guest] = [cookie.create(now, { hasUser: true }), cookie.create(now)];
  assert.equal(cookie.read(cookie.write(user).replace(".user", ""), now), undefined);
  const [id, time, signature] = cookie.write(guest).split(".");
  assert.equal(cookie.read(`${id}.${time}.user.${signature}`, now), undefined);
});

test("a cookie with an altered id, time or signature is invalid", () => {
  const identity = cookie.create(now);
  const text = cookie.write(identity);
  const other = cookie.write(cookie.create(now));
  const [id = "", time = "", signature = ""] = text.split(".");
  const altered = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  for (const forged of [
    "",
    ".",
    "..",
    id,
    signature,
    `${id}.${time}`,
    `${id}.${time}.`,
    `.${time}.${signature}`,
    `${id}..${signature}`,
    text.replace(id, cookie.create(now).id),
    text.replace(time, (now + 1).toString(36)),
    text.replace(time, `0${time}`),
    `${id}.${time}.${other.split(".")[2]}`,
    `${id}.${time}.${altered}`,
    text.slice(0, -1),
    `${text}A`,
    `${text}=`,
    ` ${text}`,
    `${text} `,
    text.toUpperCase(),
    `${text}.${signature}`,
    "x".repeat(5000),
  ]) {
    assert.equal(cookie.read(forged, now), undefined, JSON.stringify(forged));
  }
  assert.deepEqual(cookie.read(text, now), identity);
});

test("a cookie that was signed with another secret, for another name or for another purpose is invalid", () => {
  const identity = cookie.create(now);
  const payload = `${identity.id}.${now.toString(36)}`;
  for (const forged of [
    new SessionCookie("tenon_session", ages, `${secret}!`).write(identity),
    new SessionCookie("other_session", ages, secret).write(identity),
    `${payload}.${createSigner(secret, "csrf")(payload).toString("base64url")}`,
  ]) {
    assert.equal(cookie.read(forged, now), undefined, forged);
  }
});

test("every other spelling of a signature's last character is refused, although it decodes to the same bytes", () => {
  const text = cookie.write(cookie.create(now));
  const signature = text.slice(text.lastIndexOf(".") + 1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const sameBytes = [...alphabet].filter((other) => {
    const spelled = Buffer.from(`${signature.slice(0, -1)}${other}`, "base64url");
    return other !== signature.at(-1) && spelled.equals(Buffer.from(signature, "base64url"));
  });
  assert.ok(sameBytes.length > 0); // 43 characters have two bits more than 32 bytes
  for (const other of sameBytes) assert.equal(cookie.read(`${text.slice(0, -1)}${other}`, now), undefined, other);
});

test("a signed text that has another form is not a cookie", () => {
  const sign = createSigner(secret, "cookie tenon_session");
  const signed = (text: string) => `${text}.${sign(text).toString("base64url")}`;
  const { id } = cookie.create(now);
  for (const text of ["", id, `${id}.`, `${id}.${"z".repeat(12)}`, `short.${now.toString(36)}`, `${id}.1.2`]) {
    assert.equal(cookie.read(signed(text), now), undefined, text);
  }
  assert.equal(cookie.read(signed(`${id}.${now.toString(36)}`), now)?.id, id);
});

const tokens = new CsrfTokens(secret);

test("tokens of one id differ every time and are all valid", () => {
  const made = Array.from({ length: 500 }, () => tokens.create("id"));
  assert.equal(new Set(made).size, 500);
  for (const token of made) {
    assert.match(token, /^[A-Za-z0-9_-]{86}$/);
    assert.equal(tokens.isFor("id", token), true);
  }
  const bytes = made.map((token) => Buffer.from(token, "base64url"));
  for (let index = 0; index < 64; index++) {
    assert.ok(new Set(bytes.map((token) => token[index])).size > 100, `byte ${index} stays the same`);
  }
});

test("a token is valid for one id and one secret", () => {
  const token = tokens.create("id");
  for (const id of ["", "i", "id2", "ID"]) assert.equal(tokens.isFor(id, token), false, id);
  assert.equal(new CsrfTokens(`${secret}!`).isFor("id", token), false);
});

test("a token with a character changed, added or removed is invalid", () => {
  const token = tokens.create("id");
  for (let index = 0; index < token.length - 1; index++) {
    const other = token[index] === "A" ? "B" : "A";
    assert.equal(tokens.isFor("id", `${token.slice(0, index)}${other}${token.slice(index + 1)}`), false, String(index));
  }
  for (const text of [
    "",
    "x",
    token.slice(1),
    `${token}A`,
    ` ${token}`,
    `${token}=`,
    "A".repeat(86),
    "\u0000".repeat(86),
  ]) {
    assert.equal(tokens.isFor("id", text), false, text);
  }
  assert.equal(tokens.isFor("id", token), true);
});
