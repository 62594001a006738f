import { BindError, HttpError } from "../support/errors.ts";

const reasons: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  413: "Payload Too Large",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

/** Why a body could not be read. The server knows only the status. The detail goes to the log: clients do not see it. */
export function toBodyError(status: number, detail?: unknown): HttpError {
  const cause = typeof detail === "string" ? new Error(detail) : detail;
  const headers = status === 503 ? { "retry-after": "1" } : {};
  return new HttpError(status, reasons[status] ?? "Bad Request", { cause, headers });
}

export function tooLarge(detail = "The body is larger than limits.body, or than bodyLimit() allows."): HttpError {
  return toBodyError(413, detail);
}

/** Refuses a content type that cannot be read here. */
export function refuseType(contentType: string): never {
  const message =
    contentType === "" ? "is missing, or has no content type" : `cannot read ${JSON.stringify(contentType)}`;
  throw new BindError([{ path: "", rule: "content-type", message }]);
}
