import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiKeyAuth,
  BearerAuth,
  OptionalBearerAuth,
  RecentLogin,
  requireRole,
  requireScope,
  SessionAuth,
  SessionOrigin,
} from "@tenon/auth";
import { endpoint, type Routes, string } from "@tenon/core";
import { assertValid } from "../../core/test/openapi/lint.ts";
import { withAuth } from "./support/auth-app.ts";

class Guarded {
  routes(): Routes {
    return [
      { method: "GET", path: "/bearer", handler: this.bearer, middlewares: [BearerAuth, requireRole("admin")] },
      { method: "GET", path: "/key", handler: this.key, middlewares: [ApiKeyAuth, requireScope("a:b")] },
      { method: "GET", path: "/session", handler: this.session, middlewares: [SessionAuth] },
      { method: "DELETE", path: "/session", handler: this.end, middlewares: [SessionAuth] },
      { method: "GET", path: "/origin", handler: this.read, middlewares: [SessionOrigin] },
      { method: "POST", path: "/origin", handler: this.login, middlewares: [SessionOrigin] },
      { method: "GET", path: "/recent", handler: this.recent, middlewares: [SessionAuth, RecentLogin] },
    ];
  }
  readonly bearer = endpoint({ returns: string() }, () => "");
  readonly key = endpoint({ returns: string() }, () => "");
  readonly session = endpoint({ returns: string() }, () => "");
  readonly end = endpoint({ returns: string() }, () => "");
  readonly read = endpoint({ returns: string() }, () => "");
  readonly login = endpoint({ returns: string() }, () => "");
  readonly recent = endpoint({ returns: string() }, () => "");
}

class Feed {
  routes(): Routes {
    return [{ method: "GET", path: "/feed", handler: this.index, middlewares: [OptionalBearerAuth] }];
  }
  readonly index = endpoint({ returns: string() }, () => "");
}

test("the guards declare their security schemes and every message", () =>
  withAuth({ declarations: [Guarded], auth: { missingAuthorization: "Who are you?" } }, async ({ app }) => {
    const document = await app.openapi();
    await assertValid(document);
    assert.deepEqual(document.components.securitySchemes, {
      bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
      apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
      session: { type: "apiKey", in: "cookie", name: "session_id" },
    });
    assert.deepEqual(document.paths["/bearer"]?.get?.["x-tenon-policies"], ["role admin"]);
    assert.deepEqual(document.paths["/key"]?.get?.["x-tenon-policies"], ["scope a:b"]);
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security, responses }]) => {
        const errors = Object.entries(responses).filter(([status]) => status !== "200");
        return [
          `${method} ${path}`,
          security,
          Object.fromEntries(errors.map(([s, { description }]) => [s, description])),
        ];
      }),
    );
    assert.deepEqual(told, [
      [
        "get /bearer",
        [{ bearer: [] }],
        { 401: "Who are you?; Invalid authorization format; Invalid token", 403: "Forbidden" },
      ],
      ["get /key", [{ apiKey: [] }], { 401: "Missing API key; Invalid API key", 403: "Requires the scope a:b" }],
      ["get /session", [{ session: [] }], { 401: "Not authenticated; Invalid session" }],
      ["delete /session", [{ session: [] }], { 401: "Not authenticated; Invalid session", 403: "Forbidden" }],
      ["get /origin", [], {}],
      ["post /origin", [], { 403: "Forbidden" }],
      ["get /recent", [{ session: [] }], { 401: "Not authenticated; Invalid session", 403: "Recent login required" }],
    ]);
  }));

test("the list of routes, as tenon routes prints it, names RecentLogin", () =>
  withAuth({ declarations: [Guarded] }, async ({ app }) => {
    const found = app.routes.list().find(({ path }) => path === "/recent");
    assert.deepEqual(found?.middlewares, ["SessionAuth", "RecentLogin"]);
  }));

test("the optional guard and another scheme are declared as such", () =>
  withAuth({ declarations: [Feed], auth: { scheme: "Token" } }, async ({ app }) => {
    const document = await app.openapi();
    await assertValid(document);
    const description = "The text `Token ` and the token.";
    assert.deepEqual(document.components.securitySchemes, {
      token: { type: "apiKey", in: "header", name: "Authorization", description },
    });
    const { security, responses } = document.paths["/feed"]?.get ?? {};
    assert.deepEqual(security, [{ token: [] }, {}]);
    assert.equal(responses?.["401"]?.description, "Invalid authorization format; Invalid token");
  }));

test("what the guards respond is what they declare", () =>
  withAuth({ declarations: [Guarded] }, async ({ app }) => {
    const attempts = [
      ["/bearer", {}],
      ["/bearer", { authorization: "Basic x" }],
      ["/bearer", { authorization: "Bearer x" }],
      ["/key", {}],
      ["/key", { "x-api-key": "x" }],
      ["/session", {}],
      ["/session", { cookie: "session_id=x" }],
    ] as const;
    const { paths } = await app.openapi();
    for (const [path, headers] of attempts) {
      const response = await app.request("GET", path, { headers });
      const { error } = (await response.json()) as { readonly error: string };
      assert.equal(response.status, 401);
      assert.ok(paths[path]?.get?.responses["401"]?.description.split("; ").includes(error), error);
    }
  }));
