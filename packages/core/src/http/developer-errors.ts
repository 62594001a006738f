import type { DeveloperAccess } from "../boot/developer-access.ts";
import type { ErrorFormat } from "../error-format.ts";
import { toHttpError } from "../errors.ts";
import { logError } from "../kernel.ts";
import type { Devtools, ResolvedPlatform } from "../platform.ts";

/**
 * Lets the developer tools respond to a request of the developer that fails with status 500 or higher, because they have
 * the error page. Any other request gets the response of production.
 */
export function createDeveloperErrors(
  developer: Pick<DeveloperAccess, "admit">,
  devtools: Pick<Devtools, "respondToError">,
  format: ErrorFormat,
): NonNullable<ResolvedPlatform["fail"]> {
  return (error, ctx) => {
    if (toHttpError(error).status < 500 || !developer.admit(ctx)) return undefined;
    logError(ctx, error);
    return devtools.respondToError(error, ctx, format);
  };
}
