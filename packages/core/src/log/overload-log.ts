import type { HttpError } from "../support/errors.ts";
import type { Log } from "./log.ts";

/** Milliseconds between two lines. */
const pause = 1000;

/** Logs how many requests were refused, once a second and without stacks: an overload must not fill the log too. */
export function createOverloadLog(log: Log): (error: HttpError) => void {
  let refused = 0;
  let reason = "";
  const write = () => {
    log.error({ refused, reason }, "requests were refused for load");
    refused = 0;
  };
  return ({ message, cause }) => {
    if (refused++ === 0) setTimeout(write, pause).unref();
    reason = typeof cause === "string" ? cause : message;
  };
}
