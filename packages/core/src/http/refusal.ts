import { toJson } from "../body/json.ts";
import { type ErrorFormat, plainErrors } from "../error-format.ts";
import { STATUS_CODES } from "./builtin.ts";
import { toStatusError } from "./error-formats.ts";

/** A request that is rejected before it reaches the kernel. The connection closes after it. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

export function toErrorBody(status: number, format: ErrorFormat): string {
  const error = toStatusError(status);
  try {
    return toJson(format.toBody(error));
  } catch {
    return toJson(plainErrors.toBody(error)); // a format that fails would crash the server, outside of any request
  }
}

/** A whole response, for a socket that has no request. */
export function toRawResponse(status: number, format: ErrorFormat): string {
  const body = toErrorBody(status, format);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${format.type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

/** The status for an error of node's parser. */
export function statusOfParserError(error: unknown, limits: { readonly uri: number }): number {
  switch (codeOf(error)) {
    case "HPE_HEADER_OVERFLOW":
      return isUriTooLong(error, limits.uri) ? 414 : 431;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "HPE_INVALID_VERSION":
      return isUnknownVersion(error) ? 505 : 400;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    default:
      return 400;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** The parser uses the same code for a request line that is not terminated. */
function isUnknownVersion(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "Invalid HTTP version";
}

/** The parser has one limit for request line and headers; the bytes that it stopped at show which of them was too long. */
function isUriTooLong(error: unknown, limit: number): boolean {
  const { rawPacket } = error as { rawPacket: Buffer }; // node adds it to every error of its parser
  const start = rawPacket.toString("latin1", 0, limit + 32);
  const target = /^[A-Z]+ ([^ \r\n]*)/.exec(start)?.[1] ?? "";
  return target.length > limit;
}
