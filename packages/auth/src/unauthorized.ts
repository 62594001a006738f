import type { Context, Reply } from "@tenon/core";

/** A 401. `challenge` is the `WWW-Authenticate` header, for schemes that HTTP has a name for (RFC 9110, 11.6.1). */
export function unauthorized(ctx: Context, error: string, challenge?: string): Reply {
  if (challenge !== undefined) ctx.response().setHeader("www-authenticate", challenge);
  return ctx.status(401).json({ error });
}

/** 401 `Invalid token`, also for handlers: the token may be valid while its user is deleted. */
export function invalidToken(ctx: Context): Reply {
  return unauthorized(ctx, "Invalid token", 'Bearer error="invalid_token"');
}
