import assert from "node:assert/strict";
import { test } from "node:test";
import { SafePaths, toSafeName } from "../../src/log/safe-urls.ts";

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
