import assert from "node:assert/strict";
import { BearerAuth } from "@tenon/auth";
import type { Context, Routes } from "@tenon/core";
import { type AuthApp, type AuthSetup, withAuth } from "./auth-app.ts";

/** One guarded route that returns the values that the guard has set. */
export class WhoAmI {
  routes(): Routes {
    return [{ method: "GET", path: "/me", handler: this.me, middlewares: [BearerAuth] }];
  }

  me(ctx: Context) {
    return [ctx.get("user_id"), ctx.get("user_email"), ctx.get("user_role")];
  }
}

export interface BearerApp extends AuthApp {
  /** Status and body of the response to an `Authorization` header. */
  readonly ask: (authorization: string) => Promise<readonly [status: number, body: unknown]>;
  /** Fails unless each of these tokens gets 401 `Invalid token`. */
  readonly assertRefused: (tokens: Readonly<Record<string, string>>) => Promise<void>;
  /** Valid claims of a user, until the clock moves on. */
  readonly claims: { readonly user_id: string; readonly email: string; readonly exp: number };
}

/** A server on a real socket with a guarded route. */
export function withBearer(body: (app: BearerApp) => Promise<void>, setup: AuthSetup = {}): Promise<void> {
  return withAuth({ declarations: [WhoAmI], ...setup }, async (parts) => {
    const { url } = await parts.app.listen({ port: 0, signals: false });
    const ask = async (authorization: string) => {
      const reply = await fetch(`${url}/me`, { headers: { authorization } });
      const body: unknown = await reply.json();
      return [reply.status, body] as const;
    };
    const assertRefused = async (tokens: Readonly<Record<string, string>>) => {
      for (const [name, token] of Object.entries(tokens)) {
        assert.deepEqual(await ask(`Bearer ${token}`), [401, { error: "Invalid token" }], name);
      }
    };
    const claims = { user_id: "ada", email: "ada@example.com", exp: parts.clock.now() / 1000 + 60 };
    await body({ ...parts, ask, assertRefused, claims });
  });
}
