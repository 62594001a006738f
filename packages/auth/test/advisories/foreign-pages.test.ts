import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionAuth, SessionOrigin, Sessions } from "@tenon/auth";
import type { Context, Routes } from "@tenon/core";
import { type Ask, type AuthApp, testOnBothTransports, withAuth } from "../support/auth-app.ts";

class Transfers {
  readonly made: string[] = [];

  routes(): Routes {
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
    return methods.flatMap((method) => [
      { method, path: "/transfers", handler: this.make, middlewares: [SessionAuth] },
      { method, path: "/logins", handler: this.logIn, middlewares: [SessionOrigin] },
    ]);
  }

  logIn(ctx: Context) {
    this.made.push(ctx.method);
    return { ok: true };
  }

  make(ctx: Context) {
    this.made.push(ctx.method);
    return { user_id: ctx.get("user_id") };
  }
}
const setup = { declarations: [Transfers] };

/** Sends a request with a session cookie. */
async function asAda(ask: Ask, { app }: AuthApp) {
  const cookie = `session_id=${await app.get(Sessions).create("ada")}`;
  return async (method: string, headers: Readonly<Record<string, string>>, path = "/transfers") =>
    (await ask(path, { host: "localhost", cookie, ...headers }, { method })).status;
}

const foreign: readonly Readonly<Record<string, string>>[] = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "http://localhost.evil.example" },
  { origin: "http://evil.example/localhost" },
  { origin: "file://" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site", origin: "http://localhost" },
  { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
];
const types = [
  "",
  "text/plain",
  "Text/Plain",
  "TEXT/PLAIN; charset=utf-8",
  "application/x-www-form-urlencoded",
  "application/json",
];

testOnBothTransports(
  "a request of another origin's page gets 403 with the session cookie, and at a login without it, whatever its content type (K7, CVE-2024-48913)",
  setup,
  async (ask, parts) => {
    const send = await asAda(ask, parts);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const headers of foreign) {
        for (const type of types) {
          const typed = type === "" ? headers : { ...headers, "content-type": type };
          assert.equal(await send(method, typed), 403, `${method} ${JSON.stringify(typed)}`);
          for (const cookie of [{}, { cookie: "" }, { cookie: "other=1" }]) {
            const sent = { ...typed, ...cookie };
            assert.equal(await send(method, sent, "/logins"), 403, `${method} ${JSON.stringify(sent)}`);
          }
        }
      }
    }
    assert.deepEqual(parts.app.get(Transfers).made, []);
    const reasons = parts.log.all.filter(({ event }) => event === "csrf refused").map(({ reason }) => reason);
    assert.ok(reasons.includes("Sec-Fetch-Site is cross-site"), "the log says why");
  },
);

testOnBothTransports(
  "pages of this origin, other clients and safe methods are allowed (K7, CVE-2024-48913)",
  setup,
  async (ask, parts) => {
    const send = await asAda(ask, parts);
    for (const headers of [{}, { "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }] as const) {
      assert.equal(await send("POST", headers), 200, JSON.stringify(headers));
      assert.equal(await send("POST", headers, "/logins"), 200, JSON.stringify(headers));
    }
    for (const headers of foreign) {
      assert.equal(await send("GET", headers), 200, "a safe method changes nothing");
      assert.equal(await send("GET", headers, "/logins"), 200, "a safe method changes nothing");
    }
    assert.equal((await ask("/logins", {}, { method: "POST" })).status, 200, "a client that is not a browser");
    assert.equal((await ask("/transfers", { origin: "https://evil.example" }, { method: "POST" })).status, 401);
  },
);

test("an origin is allowed when its host and port match, whatever scheme a proxy uses, or when it is listed (K7, CVE-2024-48913)", () =>
  withAuth({ ...setup, auth: { trustedOrigins: ["https://app.example.com"] } }, async ({ app }) => {
    const cookie = `session_id=${await app.get(Sessions).create("ada")}`;
    const send = async (host: string, origin: string, site?: string) => {
      const headers = { cookie, host, origin, ...(site === undefined ? {} : { "sec-fetch-site": site }) };
      return (await app.request("POST", "/transfers", { headers })).status;
    };
    for (const [host, origin] of [
      ["example.com", "https://example.com"],
      ["example.com:443", "https://example.com"],
      ["example.com", "http://example.com"],
      ["EXAMPLE.com:8080", "http://example.com:8080"],
      ["api.example.com", "https://app.example.com"],
    ] as const) {
      assert.equal(await send(host, origin), 200, origin);
    }
    assert.equal(await send("api.example.com", "https://app.example.com", "same-site"), 200);
    for (const [host, origin] of [
      ["example.com", "https://example.com:8443"],
      ["example.com:8080", "http://example.com"],
      ["example.com", "https://sub.example.com"],
      ["example.com", "HTTPS://EXAMPLE.COM"],
      ["example.com", "http://app.example.com"],
    ] as const) {
      assert.equal(await send(host, origin), 403, origin);
    }
  }));

test("a trusted origin that is not a valid origin stops the start (K7, CVE-2024-48913)", async () => {
  for (const origin of ["https://app.example.com/", "app.example.com", "*", "null", "https://app.example.com:443"]) {
    const start = withAuth({ auth: { trustedOrigins: [origin] } }, async () => {});
    await assert.rejects(start, { name: "StartError", message: /trustedOrigins/ }, origin);
  }
});
