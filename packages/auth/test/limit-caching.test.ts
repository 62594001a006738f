import assert from "node:assert/strict";
import {
  ApiKeyAuth,
  ApiKeys,
  BearerAuth,
  OptionalBearerAuth,
  requireRole,
  SessionAuth,
  SessionOrigin,
  Sessions,
  Tokens,
} from "@tenon/auth";
import { type Context, HttpError, type MiddlewareLike, type Route, type Routes } from "@tenon/core";
import { type AuthApp, testOnBothTransports } from "./support/auth-app.ts";

const guards = {
  "/bearer": BearerAuth,
  "/optional": OptionalBearerAuth,
  "/session": SessionAuth,
  "/origin": SessionOrigin,
  "/key": ApiKeyAuth,
  "/role": requireRole("admin"),
};
const bearer = ["/bearer", "/optional"];

class Guarded {
  routes(): Routes {
    return Object.entries<MiddlewareLike>(guards).map(([path, guard]) => this.#group(path, guard));
  }

  #group(path: string, guard: MiddlewareLike): Route {
    return {
      path: path,
      middlewares: [guard],
      children: [
        { method: "GET", path: "/plain", handler: () => ({ ok: true }) },
        { method: "GET", path: "/refused", handler: () => ({ error: "No", status: 404 }) },
        {
          method: "GET",
          path: "/failed",
          handler: (ctx: Context) => {
            ctx.response().setHeader("cache-control", "public, max-age=60");
            throw new HttpError(409, "No");
          },
        },
        { method: "GET", path: "/broken", handler: () => Promise.reject(new Error("broken")) },
        {
          method: "GET",
          path: "/chosen",
          handler: (ctx: Context) => {
            ctx.response().setHeader("cache-control", ctx.query("value")).setHeader("vary", "Accept");
            return { ok: true };
          },
        },
        {
          method: "GET",
          path: "/response",
          handler: () => Response.json(1, { headers: { "cache-control": "public" } }),
        },
      ],
    };
  }
}
const setup = { declarations: [Guarded] };

async function credentials({ app }: AuthApp): Promise<Readonly<Record<string, Record<string, string>>>> {
  const authorization = `Bearer ${await app.get(Tokens).issue({ id: "ada", email: "a@example.com", role: "admin" })}`;
  const cookie = `session_id=${await app.get(Sessions).create("ada")}`;
  const { key } = await app.get(ApiKeys).create("ada", { scopes: "all" });
  return {
    "/bearer": { authorization },
    "/optional": { authorization },
    "/session": { cookie },
    "/origin": { cookie },
    "/key": { "x-api-key": key },
  };
}

testOnBothTransports("no response behind a guard may be stored, errors included", setup, async (ask, parts) => {
  for (const [path, headers] of Object.entries(await credentials(parts))) {
    const told = [];
    for (const route of ["/plain", "/refused", "/failed", "/broken"]) {
      const reply = await ask(path + route, headers);
      told.push([reply.status, reply.headers.get("cache-control")]);
    }
    const expected = [200, 404, 409, 500].map((status) => [status, "no-store"]);
    assert.deepEqual(told, expected, path);
  }
});

testOnBothTransports("a request that a guard refuses gets no-store", setup, async (ask) => {
  const wrong = { authorization: "Bearer x", cookie: "session_id=x", "x-api-key": "x" };
  for (const path of ["/bearer", "/session", "/key", "/role"]) {
    for (const headers of [{}, wrong]) {
      const reply = await ask(`${path}/plain`, headers);
      assert.equal(reply.status, path === "/role" ? 403 : 401, path);
      assert.equal(reply.headers.get("cache-control"), "no-store", path);
    }
  }
  const reply = await ask("/optional/plain", wrong);
  assert.deepEqual([reply.status, reply.headers.get("cache-control")], [401, "no-store"]);
});

testOnBothTransports(
  "a value of the handler is kept, and one that allows storing gets Vary for the credential",
  setup,
  async (ask, parts) => {
    for (const [path, headers] of Object.entries(await credentials(parts))) {
      const credential = bearer.includes(path) ? "Authorization" : path === "/key" ? "X-API-Key" : "Cookie";
      for (const value of ["public, max-age=60", "s-maxage=60", "private, max-age=5", "no-cache"]) {
        const reply = await ask(`${path}/chosen?value=${encodeURIComponent(value)}`, headers);
        assert.equal(reply.headers.get("cache-control"), value, path);
        assert.equal(reply.headers.get("vary"), `Accept, ${credential}`, `${path} ${value}`);
      }
      const reply = await ask(`${path}/chosen?value=no-store,%20no-transform`, headers);
      assert.equal(reply.headers.get("cache-control"), "no-store, no-transform");
      assert.equal(reply.headers.get("vary"), "Accept");
      assert.equal((await ask(`${path}/response`, headers)).headers.get("vary"), credential);
    }
  },
);

testOnBothTransports("the response for a guest of an optional guard may be stored, and varies", setup, async (ask) => {
  const { headers } = await ask("/optional/plain");
  assert.deepEqual([headers.get("cache-control"), headers.get("vary")], [null, "Authorization"]);
});
