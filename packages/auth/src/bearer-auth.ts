import { type Context, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { limitCaching } from "./limit-caching.ts";
import { AuthSettings } from "./settings.ts";
import { type Claims, Tokens } from "./tokens.ts";
import { refuseToken, unauthorized } from "./unauthorized.ts";

const badFormat = "Invalid authorization format";

/** Requires a valid `Authorization: Bearer <token>`. Runs before the body is read. */
export class BearerAuth implements Middleware {
  readonly #tokens = inject(Tokens);
  readonly #settings = inject(AuthSettings);
  readonly contract: MiddlewareContract<"user_id" | "user_email"> = {
    sets: ["user_id", "user_email"],
    security: toSecurity(this.#settings),
    errors: { 401: [this.#settings.missingAuthorization, badFormat, "Invalid token"] },
  };

  handle(ctx: Context, next: Next) {
    limitCaching(ctx, "Authorization");
    const header = ctx.header("authorization");
    const { scheme, missingAuthorization } = this.#settings;
    if (header === "") return unauthorized(missingAuthorization, scheme);
    if (!header.startsWith(this.#tokens.prefix)) return unauthorized(badFormat, scheme);
    const claims = this.#tokens.recallHeader(header); // a cached token needs no promise
    if (claims === undefined || this.#tokens.mayEnd) return this.#verify(ctx, next, header);
    return this.#pass(ctx, next, claims);
  }

  async #verify(ctx: Context, next: Next, header: string) {
    const claims = await findClaims(this.#tokens, header);
    return claims === undefined ? refuseToken(this.#settings.scheme) : this.#pass(ctx, next, claims);
  }

  #pass(ctx: Context, next: Next, claims: Claims) {
    ctx.set("user_id", claims.user_id);
    ctx.set("user_email", claims.email);
    if (this.#settings.claims === "full") ctx.set("user_role", claims.role);
    accept(ctx, claims, this.#tokens, this.#settings);
    return next();
  }
}

/**
 * Lets requests without an `Authorization` header pass; a bad token is a 401. Sets `user_claims` only: the types of
 * `user_id` and `user_role` promise a user.
 */
export class OptionalBearerAuth implements Middleware {
  readonly #tokens = inject(Tokens);
  readonly #settings = inject(AuthSettings);
  readonly contract: MiddlewareContract = {
    security: toSecurity(this.#settings),
    optional: true,
    errors: { 401: [badFormat, "Invalid token"] },
  };

  async handle(ctx: Context, next: Next) {
    const header = ctx.header("authorization");
    limitCaching(ctx, "Authorization", header !== "");
    if (header === "") return next();
    const { scheme } = this.#settings;
    if (!header.startsWith(this.#tokens.prefix)) return unauthorized(badFormat, scheme);
    const claims = await findClaims(this.#tokens, header);
    if (claims === undefined) return refuseToken(scheme);
    accept(ctx, claims, this.#tokens, this.#settings);
    return next();
  }
}

/** OpenAPI has no name for other schemes: there the whole header is the key. */
function toSecurity({ scheme }: AuthSettings): NonNullable<MiddlewareContract["security"]> {
  if (scheme === "Bearer") return { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } };
  const description = `The text \`${scheme} \` and the token.`;
  return { [scheme.toLowerCase()]: { type: "apiKey", in: "header", name: "Authorization", description } };
}

/** Undefined also when the login of the token has ended. */
async function findClaims(tokens: Tokens, header: string): Promise<Claims | undefined> {
  const claims = tokens.recallHeader(header) ?? (await tokens.verifyHeader(header));
  return claims !== undefined && tokens.mayEnd && (await tokens.isEnded(claims)) ? undefined : claims;
}

/** The connection of a live route ends with its token. */
function accept(ctx: Context, claims: Claims, tokens: Tokens, { scheme }: AuthSettings): void {
  ctx.set("user_claims", claims);
  if (scheme !== "Bearer") ctx.set("auth_scheme", scheme); // for `invalidToken(ctx)` of the handler
  if (!ctx.isLive) return;
  ctx.addLease({ reason: "the token has expired", principal: claims.user_id, expiresAt: claims.exp * 1000 });
  if (!tokens.mayEnd) return;
  ctx.addLease({ reason: "the login has ended", isValid: async () => !(await tokens.isEnded(claims)) });
}
