/** A character of a token (RFC 9110, 5.6.2), as the source of a regular expression. */
export const tokenCharacter = "[!#$%&'*+.^_`|~0-9A-Za-z-]";

/** A token, as the source of a regular expression. */
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

// blanks are allowed in one position only: with a choice between two, a header of 200 bytes would backtrack for ever
const mediaType = new RegExp(
  `^${tokenText}/${tokenText}(?:[ \\t]*;(?:[ \\t]*${tokenText}=(?:${tokenText}|"[^"\\\\\\x00-\\x1f\\x7f]*"))?)*[ \\t]*$`,
);

/** `type/subtype` and well-formed parameters. */
export function isMediaType(value: string): boolean {
  return value === "application/json" || (value.length <= 256 && mediaType.test(value));
}
