import { type Context, HttpError, type Reply } from "@tenon/core";

/** A 401. `challenge` is the `WWW-Authenticate` header, for schemes that HTTP has a name for (RFC 9110, 11.6.1). */
export function unauthorized(ctx: Context, error: string, challenge?: string): Reply {
  if (challenge !== undefined) ctx.response().setHeader("www-authenticate", challenge);
  return ctx.status(401).json({ error });
}

/** 401 `Invalid token` of the guard. */
export function refuseToken(ctx: Context, scheme: string): Reply {
  return unauthorized(ctx, "Invalid token", toInvalid(scheme));
}

/** Throws the same error, for handlers: the token may be valid while its user is deleted. */
export function invalidToken(ctx?: Context): never {
  const challenge = toInvalid(ctx?.get("auth_scheme") ?? "Bearer");
  throw new HttpError(401, "Invalid token", { headers: { "www-authenticate": challenge } });
}

function toInvalid(scheme: string): string {
  return `${scheme} error="invalid_token"`;
}
