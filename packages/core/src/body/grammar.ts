/** A character of a token (RFC 9110, 5.6.2), as the source of a regular expression. */
export const tokenCharacter = "[!#$%&'*+.^_`|~0-9A-Za-z-]";

/** A token, likewise. */
export const tokenText = `${tokenCharacter}+`;

const token = new RegExp(`^${tokenText}$`);

/** Whether a text is a token: a method, a header name, a cookie name. */
export function isToken(text: string): boolean {
  return token.test(text);
}

/** The type and subtype of a content type, in lower case and without parameters. */
export function mediaTypeOf(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** The pairs of `a=1&b=2`, still encoded; undefined when there are more than `limit`. Empty pairs do not count. */
export function splitPairs(text: string, limit: number): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = [];
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf("&", start);
    if (end < 0) end = text.length;
    if (end > start) {
      if (pairs.length === limit) return undefined;
      const pair = text.slice(start, end); // cut first: a search for "=" in the whole text would take quadratic time
      const equals = pair.indexOf("=");
      const split = equals < 0 ? pair.length : equals;
      pairs.push([pair.slice(0, split), pair.slice(split + 1)]);
    }
    start = end + 1;
  }
  return pairs;
}
