import type { MiddlewareFunction } from "@tenon/core";

/** Lets only bearers of one role pass. Stands behind `BearerAuth`, which learns the role from the token. */
export function requireRole(role: string): MiddlewareFunction {
  // a token without a role has the role "": the gate would stand open
  if (role === "") throw new TypeError("requireRole() takes the name of a role");
  return function requireRole(ctx, next) {
    return ctx.get("user_role") === role ? next() : ctx.status(403).json({ error: "Forbidden" });
  };
}
