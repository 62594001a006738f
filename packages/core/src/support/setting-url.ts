import { refuseOption } from "./options.ts";

/**
 * A URL with a host that may hold a password. Stops the start for any other text, and for one whose "host" is the user of
 * a password with a slash. `name` is its option or variable. No part of the text is quoted: where a URL is malformed, the
 * password cannot be told from the rest.
 */
export function parseSettingUrl(
  name: string,
  text: string,
  cure: string,
  isKnown: (url: URL) => boolean = () => true,
): URL {
  const url = URL.parse(text);
  const isSplit = url?.username === "" && /@/.test(url.pathname + url.hash + url.search.replace(/=.*/s, ""));
  if (url === null || url.hostname === "" || isSplit) return refuseOption(`${name} ${explain(text)}. ${cure}`);
  if (!isKnown(url)) return refuseOption(`${name} is a URL of another kind. ${cure}`);
  return url;
}

function explain(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return "does not begin with a scheme";
  if (!text.includes("@")) return "is not a URL with a host and a port up to 65535";
  return "is not a valid URL: in the user and the password, write / ? # @ % as %2F %3F %23 %40 %25; a port is at most 65535";
}
