import { type Context, HttpError, type Reply } from "@tenon/core";

const invalid = 'Bearer error="invalid_token"';

/** A 401. `challenge` is the `WWW-Authenticate` header, for schemes that HTTP has a name for (RFC 9110, 11.6.1). */
export function unauthorized(ctx: Context, error: string, challenge?: string): Reply {
  if (challenge !== undefined) ctx.response().setHeader("www-authenticate", challenge);
  return ctx.status(401).json({ error });
}

/** 401 `Invalid token` of the guard. */
export function refuseToken(ctx: Context): Reply {
  return unauthorized(ctx, "Invalid token", invalid);
}

/** The same for handlers: the token may be valid while its user is deleted. An error, which every contract allows. */
export function invalidToken(_ctx?: Context): HttpError {
  return new HttpError(401, "Invalid token", { headers: { "www-authenticate": invalid } });
}
