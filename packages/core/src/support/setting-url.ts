import { refuseOption } from "./options.ts";

/** A URL with a host; undefined for any other text, and for one whose "host" is the user of a password with a slash. */
export function parseSettingUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === "") return undefined;
  const isSplit = url.username === "" && /@/.test(url.pathname + url.hash + url.search.replace(/=.*/s, ""));
  return isSplit ? undefined : url;
}

/**
 * Stops the start for a URL that may hold a password. `name` is its option or variable. No part of the text is quoted:
 * where a URL is malformed, the password cannot be told from the rest.
 */
export function refuseUrl(name: string, text: string, cure: string): never {
  return refuseOption(`${name} ${explain(text)}. ${cure}`);
}

function explain(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return "does not begin with a scheme";
  if (parseSettingUrl(text) !== undefined) return "is a URL of another kind";
  if (!text.includes("@")) return "is not a URL with a host and a port up to 65535";
  return "is not a valid URL: in the user and the password, write / ? # @ % as %2F %3F %23 %40 %25; a port is at most 65535";
}
