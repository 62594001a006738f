/** Replaces every occurrence, with a function because a text may contain `$&`. */
export function swap(text: string, pattern: RegExp | string, replacement: string): string {
  return text.replaceAll(typeof pattern === "string" ? pattern : new RegExp(pattern, "g"), () => replacement);
}
