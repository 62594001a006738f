import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionCookie } from "../src/session-cookie.ts";
import { Signature } from "../src/signature.ts";

const secret = "a secret that is long enough for anybody";
const now = Date.UTC(2030, 0, 1);
const cookie = new SessionCookie("tenon_session", 100, secret);

test("ids have 256 random bits, and a cookie needs no encoding", () => {
  const ids = Array.from({ length: 1000 }, () => cookie.create(now).id);
  assert.equal(new Set(ids).size, 1000);
  for (const id of ids) assert.equal(Buffer.from(id, "base64url").byteLength, 32);
  assert.match(cookie.write(cookie.create(now)), /^[A-Za-z0-9_.-]{60,128}$/);
});

test("a cookie is good to the last millisecond of its age, and then it is none", () => {
  const { id, issued } = cookie.create(now);
  const text = cookie.write({ id, issued, known: false, stored: false });
  assert.deepEqual(cookie.read(text, now + 99_999), { id, issued, known: true, stored: true });
  assert.equal(cookie.read(text, now + 100_000), undefined);
});

test("a cookie ages when half of its time is gone", () => {
  const identity = cookie.create(now);
  assert.equal(cookie.isAgeing(identity, now + 50_000), false);
  assert.equal(cookie.isAgeing(identity, now + 50_001), true);
});

test("what this application has not signed under this name is no cookie", () => {
  const identity = cookie.create(now);
  const text = cookie.write(identity);
  const other = cookie.write(cookie.create(now));
  for (const forged of [
    "",
    identity.id,
    `${identity.id}.${now.toString(36)}`,
    text.replace(identity.id, cookie.create(now).id),
    `${text.slice(0, text.lastIndexOf("."))}${other.slice(other.lastIndexOf("."))}`,
    text.replace(now.toString(36), (now + 1).toString(36)),
    new SessionCookie("tenon_session", 100, `${secret}!`).write(identity),
    new SessionCookie("other_session", 100, secret).write(identity),
    "x".repeat(5000),
  ]) {
    assert.equal(cookie.read(forged, now), undefined, forged);
  }
});

test("what is signed but has another form is no cookie", () => {
  const signature = new Signature(secret, "cookie tenon_session");
  const { id } = cookie.create(now);
  for (const text of ["", id, `${id}.`, `${id}.${"z".repeat(12)}`, `short.${now.toString(36)}`, `${id}.1.2`]) {
    assert.equal(cookie.read(signature.sign(text), now), undefined, text);
  }
  assert.equal(cookie.read(signature.sign(`${id}.${now.toString(36)}`), now)?.id, id);
});
