import assert from "node:assert/strict";
import { test } from "node:test";
import { redactHeaders, redactPath, redactQuery, toRecordedBody } from "../../src/devtools/redact.ts";

const body = (type: string, text: string) => toRecordedBody(type, Buffer.from(text));

test("headers lose their credentials, and cookies keep their names", () => {
  assert.deepEqual(
    redactHeaders({
      authorization: "Bearer x",
      cookie: "a=1; b=2",
      "set-cookie": "a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2; HttpOnly",
      "x-api-key": "k",
      "x-csrf-token": "t",
      referer: "http://localhost/reset?token=x&page=2",
      location: "/next?code=1&session_id=2",
      accept: "text/html",
    }),
    {
      authorization: "[redacted]",
      cookie: "a=[redacted]; b=[redacted]",
      "set-cookie": "a=[redacted]; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=[redacted]; HttpOnly",
      "x-api-key": "[redacted]",
      "x-csrf-token": "[redacted]",
      referer: "http://localhost/reset?token=[redacted]&page=2",
      location: "/next?code=1&session_id=[redacted]",
      accept: "text/html",
    },
  );
});

test("secret parameters of a query and of a path are replaced", () => {
  assert.equal(
    redactQuery("/a?pass%77ord=x&b=1#access_token=y"),
    "/a?pass%77ord=[redacted]&b=1#access_token=[redacted]",
  );
  assert.equal(redactQuery("/a?%E0%A4%A=1"), "/a?%E0%A4%A=1");
  assert.equal(redactPath("/reset/abc/2", "/reset/:token/:page"), "/reset/[redacted]/2");
  assert.equal(redactPath("/reset/abc", undefined), "/reset/abc");
});

test("bodies keep what is no secret, at any depth", () => {
  assert.deepEqual(
    body("application/json", '{"user":{"name":"Ada","password":"x","tokens":["a"]},"secret":"","isToken":true}'),
    {
      type: "application/json",
      size: 80,
      text: '{"user":{"name":"Ada","password":"[redacted]","tokens":"[redacted]"},"secret":"","isToken":true}',
      isRedacted: true,
    },
  );
  assert.equal(body("application/problem+json; charset=utf-8", "[1]").text, "[1]");
  assert.equal(
    body("application/x-www-form-urlencoded", "email=a%40b.c&pass+word=x&_csrf=y&empty_token=").text,
    "email=a%40b.c&pass+word=[redacted]&_csrf=[redacted]&empty_token=",
  );
  assert.equal(
    body("text/html; charset=utf-8", '<input type="hidden" name="_csrf" value="x"><input name="title" value="y">').text,
    '<input type="hidden" name="_csrf" value="[redacted]"><input name="title" value="y">',
  );
  assert.deepEqual(body("text/plain", "hello"), { type: "text/plain", size: 5, text: "hello", isRedacted: false });
});

test("what cannot be redacted is not kept", () => {
  assert.deepEqual(body("application/json", '{"password":"x'), { type: "application/json", size: 14 });
  assert.deepEqual(body("application/json", "[".repeat(60_000)), { type: "application/json", size: 60_000 });
  assert.deepEqual(body("multipart/form-data; boundary=x", "--x"), {
    type: "multipart/form-data; boundary=x",
    size: 3,
  });
  assert.deepEqual(body("image/png", "png"), { type: "image/png", size: 3 });
  assert.deepEqual(body("text/plain", "x".repeat(64 * 1024 + 1)), { type: "text/plain", size: 64 * 1024 + 1 });
  assert.deepEqual(toRecordedBody("text/plain", new Uint8Array([0xff])), { type: "text/plain", size: 1 });
  assert.deepEqual(body("", ""), { type: "", size: 0 });
});
