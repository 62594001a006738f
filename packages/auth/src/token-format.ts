const maxLength = 8192;
const segment = /^[A-Za-z0-9_-]+$/;
// a byte order mark is kept, so that JSON.parse rejects it: skipped, it would be a second spelling of the same token
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Decodes three segments of canonical base64url, the first two of them JSON objects. Undefined for anything else. */
export function decodeToken(token: string): DecodedToken | undefined {
  if (token.length > maxLength) return undefined;
  const parts = token.split(".");
  const [head, body, signature] = parts;
  if (parts.length !== 3 || head === undefined || body === undefined || signature === undefined) return undefined;
  if (!parts.every(isCanonical)) return undefined;
  const header = parseObject(head);
  const payload = parseObject(body);
  return header === undefined || payload === undefined ? undefined : { header, payload };
}

/** Node's decoder skips unknown characters, so that many texts would decode to the same bytes. */
function isCanonical(text: string): boolean {
  return segment.test(text) && Buffer.from(text, "base64url").toString("base64url") === text;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(text, "base64url")));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>) // an object, checked on this line
      : undefined;
  } catch {
    return undefined;
  }
}
