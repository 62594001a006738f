import { HttpError, type MiddlewareFunction } from "@tenon/core";
import { limitCaching } from "./limit-caching.ts";

/**
 * The policy that a user has a role. List it after `BearerAuth`, which reads the role from the token, or after
 * `SessionAuth`, which reads it with `findUser` of the module.
 */
export function requireRole(role: string): MiddlewareFunction {
  // a user without a role has the role "", so requireRole("") would let every such user pass
  if (role === "") throw new TypeError("requireRole() takes the name of a role");
  const handle: MiddlewareFunction = function requireRole(ctx, next) {
    limitCaching(ctx, "Authorization");
    if (ctx.get("user_role") !== role) throw new HttpError(403, "Forbidden");
    return next();
  };
  const contract = { policy: `role ${role}`, covers: "path", errors: { 403: "Forbidden" } } as const;
  return Object.assign(handle, { contract });
}
