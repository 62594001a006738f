/** The registered statuses (RFC 9110, section 16.2.1, and the IANA registry), for ranges and defaults. */
const registered = [
  100, 101, 102, 103, 200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 307, 308, 400,
  401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426,
  428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511,
].map(String);

/** Literals, because a result narrows by them; those of a range or a default are the statuses that nothing else declares. */
export function toStatusType(status: string, declared: readonly string[]): string {
  if (/^\d+$/.test(status)) return status;
  const hasSuccess = declared.some((other) => other.startsWith("2"));
  const isCovered = (code: string) => {
    if (declared.includes(code)) return false;
    if (status !== "default") return code[0] === status[0];
    if (declared.includes(`${code[0]}XX`)) return false;
    return code >= "400" || (!hasSuccess && code.startsWith("2"));
  };
  return registered.filter(isCovered).join(" | ") || "never";
}
