import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, explainForeignOrigin, isSameOrigin } from "@tenon/core";
import { findForgery } from "@tenon/core/internal";
import { isOrigin } from "../../src/http/foreign-origin.ts";
import { testOnBothTransports } from "../support/transports.ts";

const route = {
  method: "POST" as const,
  path: "/",
  handler: (ctx: Parameters<typeof isSameOrigin>[0]) => ({
    isForeign: explainForeignOrigin(ctx) !== undefined,
    isSame: isSameOrigin(ctx),
  }),
};

const foreign = { isForeign: true, isSame: false };
const same = { isForeign: false, isSame: true };
const unknown = { isForeign: false, isSame: false };

testOnBothTransports(
  "Sec-Fetch-Site and Origin decide: without them, and with none, a request is neither foreign nor of this site",
  [route],
  async (call) => {
    const own = new URL((await call("GET", "/")).url || "http://localhost").origin; // over a socket the host has a port
    const cases: readonly [site: string, origin: string, expected: object][] = [
      ["", "", unknown],
      ["none", "", unknown],
      ["none", own, unknown],
      ["none", "https://evil.example", foreign],
      ["same-origin", "", same],
      ["same-origin", own, same],
      ["same-origin", "https://evil.example", foreign],
      ["same-site", "", foreign],
      ["cross-site", own, foreign],
      ["", own, same],
      ["", own.replace("http:", "https:"), same],
      ["", "https://evil.example", foreign],
      ["", "null", foreign],
    ];
    for (const [site, origin, expected] of cases) {
      const headers = {
        ...(site === "" ? {} : { "sec-fetch-site": site }),
        ...(origin === "" ? {} : { origin }),
      };
      const reply = await call("POST", "/", { headers });
      assert.deepEqual(await reply.json(), expected, `${site} ${origin}`);
    }
  },
);

const check = (method: "GET" | "POST") => ({
  method,
  path: "/check",
  handler: (ctx: Context) => ({ reason: findForgery(ctx, ["https://app.example"]) ?? null }),
});

testOnBothTransports(
  "a forgery is a request that changes something, from a page of an origin that is not trusted",
  [check("GET"), check("POST")],
  async (call) => {
    const reasonOf = async (method: string, origin: string) => {
      const headers = { "sec-fetch-site": "cross-site", origin };
      return ((await (await call(method, "/check", { headers })).json()) as { readonly reason: unknown }).reason; // as the handler returns it
    };
    assert.equal(await reasonOf("POST", "https://evil.example"), "Sec-Fetch-Site is cross-site");
    assert.equal(await reasonOf("POST", "https://app.example"), null);
    assert.equal(await reasonOf("GET", "https://evil.example"), null);
  },
);

test("an origin is a scheme and a host, as browsers send it", () => {
  for (const origin of ["https://example.com", "http://localhost:8080"]) assert.equal(isOrigin(origin), true);
  for (const text of ["https://example.com/", "https://example.com:443", "https://", "ftp://example.com", "*", 5]) {
    assert.equal(isOrigin(text), false, String(text));
  }
});
