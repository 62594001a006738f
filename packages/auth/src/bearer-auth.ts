import {
  type Context,
  inject,
  type Middleware,
  type MiddlewareContract,
  type MiddlewareFunction,
  type Next,
} from "@tenon/core";
import { AuthSettings } from "./settings.ts";
import { bearer, type Claims, Tokens } from "./tokens.ts";
import { refuseToken, unauthorized } from "./unauthorized.ts";

/** Requires a valid `Authorization: Bearer <token>`. Runs before the body is read. */
export class BearerAuth implements Middleware {
  readonly #tokens = inject(Tokens);
  readonly #settings = inject(AuthSettings);
  readonly contract: MiddlewareContract = {
    security: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
    errors: { 401: [this.#settings.missingAuthorization, "Invalid authorization format", "Invalid token"] },
  };

  handle(ctx: Context, next: Next) {
    const header = ctx.header("authorization");
    if (header === "") return unauthorized(ctx, this.#settings.missingAuthorization, "Bearer");
    if (!header.startsWith(bearer)) return unauthorized(ctx, "Invalid authorization format", "Bearer");
    const claims = this.#tokens.recallHeader(header); // a cached token needs no promise
    return claims === undefined ? this.#verify(ctx, next, header) : this.#pass(ctx, next, claims);
  }

  async #verify(ctx: Context, next: Next, header: string) {
    const claims = await this.#tokens.verifyHeader(header);
    return claims === undefined ? refuseToken(ctx) : this.#pass(ctx, next, claims);
  }

  #pass(ctx: Context, next: Next, claims: Claims) {
    ctx.set("user_id", claims.user_id);
    ctx.set("user_email", claims.email);
    if (this.#settings.claims === "full") ctx.set("user_role", claims.role);
    return next();
  }
}

/** Requires a role. List it after `BearerAuth`, which reads the role from the token. */
export function requireRole(role: string): MiddlewareFunction {
  // a token without a role has the role "", so requireRole("") would let every such token pass
  if (role === "") throw new TypeError("requireRole() takes the name of a role");
  const handle: MiddlewareFunction = function requireRole(ctx, next) {
    return ctx.get("user_role") === role ? next() : ctx.status(403).json({ error: "Forbidden" });
  };
  return Object.assign(handle, { contract: { errors: { 403: "Forbidden" } } });
}
