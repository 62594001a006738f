import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiKeyAuth,
  ApiKeys,
  BearerAuth,
  OptionalBearerAuth,
  requireScope,
  SessionAuth,
  Sessions,
  Tokens,
} from "@tenon/auth";
import type { MiddlewareLike, Routes } from "@tenon/core";
import { testOnBothTransports } from "./support/auth-app.ts";

class Posts {
  handled = 0;

  routes(): Routes {
    const guards: Readonly<Record<string, readonly MiddlewareLike[]>> = {
      "/key": [ApiKeyAuth],
      "/bearer": [BearerAuth],
      "/session": [SessionAuth],
      "/both": [BearerAuth, ApiKeyAuth],
      "/optional": [OptionalBearerAuth],
      "/alone": [],
    };
    return [
      ...Object.entries(guards).map(([path, list]) => this.#route(path, [...list, requireScope("posts:write")])),
      this.#route("/early", [requireScope("posts:write"), ApiKeyAuth]),
      this.#route("/two", [ApiKeyAuth, requireScope("posts:write"), requireScope("posts:publish")]),
    ];
  }

  #route(path: string, middlewares: readonly MiddlewareLike[]) {
    const handler = () => {
      this.handled++;
      return { ok: true };
    };
    return { method: "GET", path, handler, middlewares } as const;
  }
}
const setup = { declarations: [Posts] };
const passed = [200, { ok: true }];
const refused = [403, { error: "Requires the scope posts:write" }];

testOnBothTransports("a key needs the scope, unless it was created with all of them", setup, async (ask, { app }) => {
  const as = async (scopes: readonly string[] | "all", path = "/key") => {
    const { key } = await app.get(ApiKeys).create("ada", { scopes });
    const { status, body } = await ask(path, { "x-api-key": key });
    return [status, body];
  };
  assert.deepEqual(await as(["posts:read", "posts:write"]), passed);
  assert.deepEqual(await as("all"), passed);
  const others = [[], ["posts:read"], ["posts:writer"], ["posts"], ["*"], ["POSTS:WRITE"], ["posts:write,a"]];
  for (const scopes of others) assert.deepEqual(await as(scopes), refused, scopes.join());
  assert.deepEqual(await as(["posts:write"], "/two"), [403, { error: "Requires the scope posts:publish" }]);
  assert.deepEqual(await as(["posts:publish", "posts:write"], "/two"), passed);
  assert.equal(app.get(Posts).handled, 3);
});

testOnBothTransports("the user's own requests have every scope", setup, async (ask, { app }) => {
  const authorization = `Bearer ${await app.get(Tokens).issue({ id: "ada", email: "ada@example.com", role: "" })}`;
  const cookie = `session_id=${await app.get(Sessions).create("ada")}`;
  for (const [path, headers] of [
    ["/bearer", { authorization }],
    ["/session", { cookie }],
  ] as const) {
    const { status, body } = await ask(path, headers);
    assert.deepEqual([status, body], passed, path);
  }
  const { key } = await app.get(ApiKeys).create("ada", { scopes: ["posts:read"] });
  const { status, body } = await ask("/both", { authorization, "x-api-key": key });
  assert.deepEqual([status, body], refused, "a key limits a request that has a token too");
});

testOnBothTransports("a request that no guard has authenticated never passes", setup, async (ask, { app }) => {
  const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
  for (const path of ["/alone", "/early", "/optional"]) {
    const { status, body, headers } = await ask(path, { "x-api-key": key });
    assert.deepEqual([status, body], refused, path);
    assert.equal(headers.get("cache-control"), "no-store");
  }
  assert.equal(app.get(Posts).handled, 0);
});

test("requireScope refuses a text that is not a scope", () => {
  for (const scope of ["", "a b", '"', "\\", "é", "x".repeat(101)])
    assert.throws(() => requireScope(scope), { name: "TypeError", message: /^requireScope\(".*"\): a scope is / });
});
