import { type Context, HttpError } from "@tenon/core";

/** Throws a 401. `challenge` is the `WWW-Authenticate` header, for schemes that HTTP has a name for (RFC 9110, 11.6.1). */
export function unauthorized(error: string, challenge?: string): never {
  throw new HttpError(401, error, challenge === undefined ? {} : { headers: { "www-authenticate": challenge } });
}

/** 401 `Invalid token` of the guard. */
export function refuseToken(scheme: string): never {
  return unauthorized("Invalid token", `${scheme} error="invalid_token"`);
}

/** Throws the same error, for handlers: the token may be valid while its user is deleted. */
export function invalidToken(ctx?: Context): never {
  return refuseToken(ctx?.get("auth_scheme") ?? "Bearer");
}
