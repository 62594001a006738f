import assert from "node:assert/strict";
import { test } from "node:test";
import { redactQuery, SafePaths, toSafeName } from "../../src/log/safe-urls.ts";

const paths = new SafePaths();

test("secret parameters of a path are replaced", () => {
  assert.equal(paths.redact("/reset/abc/2", "/reset/:token/:page"), "/reset/[redacted]/2");
  assert.equal(paths.redact("/items/2/", "/items/:id"), "/items/2/");
  assert.equal(paths.redact("reset/abc", "reset/:token"), "reset/[redacted]");
  assert.equal(paths.redact("/reset/abc", undefined), "/reset/abc");
  assert.equal(
    toSafeName({ method: "GET", path: "/reset/a", route: { path: "/reset/:token" } }),
    "GET /reset/[redacted]",
  );
  assert.equal(toSafeName({ method: "GET", path: "/reset/a", route: undefined }), "GET /reset/a");
});

test("a path that misses its route, by its method or a slash, still loses its secret", () => {
  const routes = ["/items/:id", "/Reset/:token/:page"];
  for (const [path, clean] of [
    ["/reset/hunter2/1", "/reset/[redacted]/1"],
    ["//res%65t//hunter2/1/", "//res%65t//[redacted]/1/"],
    ["/reset/hunter2/1/more", "/reset/[redacted]/1/more"],
    ["/items/1/2", "/items/1/2"],
    ["/reset", "/reset"],
  ] as const) {
    assert.equal(paths.redact(path, undefined, routes), clean);
  }
});

test("secret parameters of a query are replaced, whatever they contain", () => {
  assert.equal(
    redactQuery("/a?pass%77ord=x&b=1#access_token=y"),
    "/a?pass%77ord=[redacted]&b=1#access_token=[redacted]",
  );
  assert.equal(redactQuery("/a?%E0%A4%A=1"), "/a?%E0%A4%A=1");
  assert.equal(redactQuery("/a?next=%2Fverify%3Fa%3D1%26token%3Dx&b=1"), "/a?next=[redacted]&b=1");
  assert.equal(redactQuery("/a?next=%2Fa%3Fnext%3D%252Fb%253Fcode%253Dx"), "/a?next=[redacted]");
  assert.equal(redactQuery("/a?next=%2Fposts%3Fpage%3D2"), "/a?next=%2Fposts%3Fpage%3D2");
  assert.equal(
    redactQuery("/login?code=123456&state=1&country_code=de"),
    "/login?code=[redacted]&state=1&country_code=de",
  );
  assert.equal(redactQuery("/a?token=one;hunter2?&b=1;token=two"), "/a?token=[redacted]&b=1;token=[redacted]");
  assert.equal(redactQuery("/a;token=hunter2?b=1"), "/a;token=[redacted]");
  assert.equal(redactQuery("/a?pass%77ord%=hunter2"), "/a?pass%77ord%=[redacted]");
});
