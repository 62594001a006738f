import type { Context } from "../request/context.ts";
import { HttpError } from "../support/errors.ts";
import type { BackgroundPlatform, NamedPlatform } from "./platform.ts";

/** No route matches: the platform may respond, such as with a file. */
export function respondToMiss(target: NamedPlatform | BackgroundPlatform, ctx: Context): unknown {
  const value = "miss" in target ? target.miss?.(ctx) : undefined;
  if (value === undefined) throw new HttpError(404, "Not Found");
  return value;
}

/** The path or the query cannot be read. */
export function refuseMalformed(): never {
  throw new HttpError(400, "Bad Request");
}
