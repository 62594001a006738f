import { HttpError, type MiddlewareFunction } from "@tenon/core";
import { limitCaching } from "./limit-caching.ts";
import { isScope, scopeForm } from "./scopes.ts";

/**
 * The policy that the API key of a request has a scope: `requireScope("posts:write")`. List it after the guards. A
 * request of a session or an access token is the user's own, which has every scope.
 */
export function requireScope(scope: string): MiddlewareFunction {
  if (!isScope(scope)) throw new TypeError(`requireScope(${JSON.stringify(scope)}): a scope is ${scopeForm}`);
  const message = `Requires the scope ${scope}`;
  const handle: MiddlewareFunction = function requireScope(ctx, next) {
    limitCaching(ctx, "X-API-Key");
    const key = ctx.get("api_key");
    const isOwn = key === undefined && (ctx.get("user_id") ?? "") !== "";
    if (isOwn || key?.scopes === null || key?.scopes.includes(scope)) return next();
    throw new HttpError(403, message);
  };
  return Object.assign(handle, { contract: { policy: `scope ${scope}`, errors: { 403: message } } });
}
