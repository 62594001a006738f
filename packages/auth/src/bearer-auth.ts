import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { AuthSettings } from "./settings.ts";
import { Tokens } from "./tokens.ts";
import { invalidToken, unauthorized } from "./unauthorized.ts";

const prefix = "Bearer ";

/** Lets a request pass with a valid `Authorization: Bearer <token>`. Runs before the body is read. */
export class BearerAuth implements Middleware {
  readonly #tokens = inject(Tokens);
  readonly #settings = inject(AuthSettings);

  async handle(ctx: Context, next: Next) {
    const header = ctx.header("authorization");
    if (header === "") return unauthorized(ctx, this.#settings.missingAuthorization, "Bearer");
    if (!header.startsWith(prefix)) return unauthorized(ctx, "Invalid authorization format", "Bearer");
    const claims = await this.#tokens.verify(header.slice(prefix.length));
    if (claims === undefined) return invalidToken(ctx);
    ctx.set("user_id", claims.user_id);
    ctx.set("user_email", claims.email);
    if (this.#settings.claims === "full") ctx.set("user_role", claims.role);
    return next();
  }
}
