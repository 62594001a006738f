import { HttpError, type MiddlewareFunction } from "@tenon/core";
import { markFactory } from "@tenon/core/internal";
import { limitCaching } from "./limit-caching.ts";

/**
 * The policy that a user has a role. List it after `BearerAuth`, which reads the role from the token, or after
 * `SessionAuth`, which reads it with `findRole` of the module.
 */
export function requireRole(role: string): MiddlewareFunction {
  // a user without a role has the role "", so requireRole("") would let every such user pass
  if (role === "") throw new TypeError("requireRole() takes the name of a role");
  const handle: MiddlewareFunction = function requireRole(ctx, next) {
    limitCaching(ctx, "Authorization");
    if (ctx.get("user_role") !== role) throw new HttpError(403, "Forbidden");
    return next();
  };
  return Object.assign(handle, { contract: { policy: `role ${role}`, errors: { 403: "Forbidden" } } });
}
markFactory(requireRole);
