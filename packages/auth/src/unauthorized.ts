import type { Context, Reply } from "@tenon/core";

/** `challenge` says how to authenticate, where HTTP has a name for it (RFC 9110, 11.6.1). */
export function unauthorized(ctx: Context, error: string, challenge?: string): Reply {
  if (challenge !== undefined) ctx.response().setHeader("www-authenticate", challenge);
  return ctx.status(401).json({ error });
}

/** 401 `Invalid token`, for a handler too: of a token that is good but whose user is gone. */
export function invalidToken(ctx: Context): Reply {
  return unauthorized(ctx, "Invalid token", 'Bearer error="invalid_token"');
}
