import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "@tenon/core";
import { secureHeaders } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { type ViewEngine, view, type WebOptions, web } from "@tenon/web";
import { moduleOf } from "../../core/test/support/transports.ts";

const views: ViewEngine = { has: (name) => name === "page", render: () => "page" };
const handler = (ctx: Context) => {
  if (ctx.query("own") !== "") ctx.response().setHeader("content-security-policy", "default-src *");
  return view("page");
};

async function headersOf(path: string, options: Partial<WebOptions> = {}): Promise<Headers> {
  const module = moduleOf([{ method: "GET", path: "/", handler }]);
  const app = await createTestApp(module, web({ views, development: false, ...options }));
  const { headers } = await app.request("GET", path);
  await app.stop();
  return headers;
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

test("pages get a default policy that allows this site and nothing inline", async () => {
  const headers = await headersOf("/");
  assert.equal(headers.get("content-security-policy"), policy);
  assert.equal(headers.get("referrer-policy"), "same-origin");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("x-frame-options"), "DENY");
  assert.ok(headers.has("x-request-id"), "the other default middlewares run too");
});

test("options change single headers, a handler's own policy is kept, and another list of middlewares sets none", async () => {
  const own = await headersOf("/", { middlewares: [secureHeaders({ "content-security-policy": "img-src *" })] });
  assert.equal(own.get("content-security-policy"), "img-src *");
  assert.equal(own.get("referrer-policy"), "same-origin");
  assert.equal((await headersOf("/?own=1")).get("content-security-policy"), "default-src *");
  assert.equal((await headersOf("/", { middlewares: [] })).get("content-security-policy"), null);
});
