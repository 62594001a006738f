import { isToken } from "@tenon/server/internal";
import { decodePercent } from "../support/path.ts";

/** Cookie values by name. The first of a repeated name wins; names and values are trimmed of space and tab only. */
export function parseCookies(header: string): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null);
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = trim(pair.slice(0, equals));
    if (name === "" || name in cookies) continue;
    const value = unquote(trim(pair.slice(equals + 1)));
    cookies[name] = decodePercent(value) ?? value; // one of another application on this host must not break the request
  }
  return cookies;
}

export interface CookieOptions {
  readonly path?: string;
  readonly domain?: string;
  /** Seconds. Zero or less expires the cookie. */
  readonly maxAge?: number;
  readonly expires?: Date;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly sameSite?: "strict" | "lax" | "none";
}

const attributeValue = /^[\x20-\x3a\x3c-\x7e]*$/;
const sameSiteNames = { strict: "Strict", lax: "Lax", none: "None" } as const;

/** A `Set-Cookie` value. Defaults to HttpOnly, SameSite=Lax and Path=/. Throws on what would break the header. */
export function serializeCookie(name: string, value: string, options: CookieOptions = {}): string {
  const { path = "/", httpOnly = true, secure = false, sameSite = "lax", domain, maxAge, expires } = options;
  if (!isToken(name)) throw new TypeError(`${JSON.stringify(name)} is not a cookie name`);
  for (const [attribute, text] of Object.entries({ path, domain: domain ?? "" })) {
    if (!attributeValue.test(text)) throw new TypeError(`${JSON.stringify(text)} is not a cookie ${attribute}`);
  }
  if (!Object.hasOwn(sameSiteNames, sameSite))
    throw new TypeError(`${JSON.stringify(sameSite)} is not a SameSite value`);
  if (maxAge !== undefined && !Number.isInteger(maxAge)) throw new TypeError("maxAge is a whole number of seconds");
  if (expires !== undefined && Number.isNaN(expires.getTime())) throw new TypeError("expires is not a valid date");
  if (sameSite === "none" && !secure) throw new TypeError("SameSite=None needs secure: true");
  const prefixed = name.toLowerCase();
  if ((prefixed.startsWith("__secure-") || prefixed.startsWith("__host-")) && !secure) {
    throw new TypeError(`${name} needs secure: true`);
  }
  if (prefixed.startsWith("__host-") && (path !== "/" || domain !== undefined)) {
    throw new TypeError(`${name} needs path "/" and no domain`);
  }
  const parts = [`${name}=${encodeURIComponent(value)}`, `Path=${path}`];
  if (domain !== undefined) parts.push(`Domain=${domain}`);
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
  if (expires !== undefined) parts.push(`Expires=${expires.toUTCString()}`);
  if (httpOnly) parts.push("HttpOnly");
  if (secure) parts.push("Secure");
  parts.push(`SameSite=${sameSiteNames[sameSite]}`);
  return parts.join("; ");
}

/** Removes space and tab only: trim() would also remove what another parser keeps in a name, such as U+00A0. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === " " || text[start] === "\t") start++;
  while (end > start && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return text.slice(start, end);
}

function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
