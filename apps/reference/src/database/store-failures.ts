import { HttpError, type MiddlewareFunction } from "@tenon/core";
import { StoreError } from "@tenon/data";

const failures = ["constraint violation", "store failure"] as const;
const unavailable = "store unavailable";

/** What clients read when a statement fails, on any route that uses the database. */
export const storeFailures = { 500: failures, 503: unavailable } as const;

/** The same on routes with `asSpecified`. */
export const specifiedFailures = [...failures, unavailable] as const;

/** The specification has 500 on these routes while the store is away, too, where others respond with 503. */
export const asSpecified: MiddlewareFunction = async function asSpecified(_, next) {
  try {
    return await next();
  } catch (error) {
    const isAway = error instanceof StoreError && error.code === "UNAVAILABLE";
    throw isAway ? new HttpError(500, error.message, { cause: error }) : error;
  }
};
