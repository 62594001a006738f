import { BindError } from "@tenon/core";

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/; // RFC 6749, 3.3
export const scopeForm = '1 to 100 ASCII characters without spaces, " and \\, such as posts:write';
const maxScopes = 50;

export function isScope(text: string): boolean {
  return scopeToken.test(text);
}

/** Each scope once. Throws a 400 for too many, and for those that are not well-formed. */
export function parseScopes(scopes: readonly string[]): string[] {
  if (scopes.length > maxScopes) {
    throw new BindError([{ path: "scopes", rule: "max", message: `must have at most ${maxScopes} items` }]);
  }
  const index = scopes.findIndex((scope) => !isScope(scope));
  if (index >= 0) throw new BindError([{ path: `scopes.${index}`, rule: "scope", message: `must be ${scopeForm}` }]);
  return [...new Set(scopes)];
}
