import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Routes, route } from "@tenon/core";
import { secureHeaders } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  { method: "GET", path: "/", handler: () => ({ ok: true }) },
  route.get("/page", (ctx) => {
    ctx.response().setHeader("Content-Security-Policy", "default-src 'self'");
    return "page";
  }),
  route.get("/typed", (ctx) => {
    if (ctx.query("type") !== "") ctx.response().setHeader("content-type", ctx.query("type"));
    return ctx.status(Number(ctx.queryDefault("status", "200"))).send("");
  }),
  route.get("/broken", () => {
    throw new Error("no");
  }),
];
const expected: Record<string, string> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
};

testOnBothTransports(
  "replies, errors and misses carry the security headers",
  routes,
  async (call) => {
    for (const path of ["/", "/broken", "/nowhere"]) {
      const res = await call("GET", path);
      for (const [name, value] of Object.entries(expected))
        assert.equal(res.headers.get(name), value, `${path} ${name}`);
    }
  },
  { middlewares: [secureHeaders()] },
);

testOnBothTransports(
  "pages and their scripts may load what is of this site, other data nothing, and a 304 keeps the policy of the copy",
  routes,
  async (call) => {
    const policies: (string | null)[] = [];
    for (const query of [
      "type=text/html;charset=utf-8",
      "type=text/javascript",
      "type=image/svg%2Bxml",
      "status=304",
    ]) {
      policies.push((await call("GET", `/typed?${query}`)).headers.get("content-security-policy"));
    }
    const ofPage =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    assert.deepEqual(policies, [ofPage, ofPage, "default-src 'none'; frame-ancestors 'none'", null]);
  },
  { middlewares: [secureHeaders()] },
);

testOnBothTransports(
  "each header can have another value or be left out",
  routes,
  async (call) => {
    const res = await call("GET", "/");
    assert.equal(res.headers.get("content-security-policy"), "default-src 'self'");
    assert.equal(res.headers.get("x-frame-options"), null);
    assert.equal(res.headers.get("referrer-policy"), "same-origin");
  },
  { middlewares: [secureHeaders({ "content-security-policy": "default-src 'self'", "x-frame-options": false })] },
);

test("https carries Strict-Transport-Security", async () => {
  const app = await createTestApp(moduleOf(routes), api({ middlewares: [secureHeaders()] }));
  try {
    const res = await app.fetch(new Request("https://localhost/"));
    assert.equal(res.headers.get("strict-transport-security"), "max-age=31536000; includeSubDomains");
  } finally {
    await app.stop();
  }
});
