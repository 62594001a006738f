/** What the parser of node gave up with → the status that says it. */
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

/** The same code also stands for a request line that does not end where it should. */
function isUnknownVersion(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "Invalid HTTP version";
}

/** The parser has one limit for request line and headers; the bytes it choked on tell which of them it was. */
function isUriTooLong(error: unknown, limit: number): boolean {
  const { rawPacket } = error as { rawPacket: Buffer }; // node adds it to every error of its parser
  const start = rawPacket.toString("latin1", 0, limit + 32);
  const target = /^[A-Z]+ ([^ \r\n]*)/.exec(start)?.[1] ?? "";
  return target.length > limit;
}
