import { HttpError } from "../errors.ts";
import { splitPairs } from "./grammar.ts";

/** Flat: `a[b]=1` is a parameter named `a[b]`. The first of a repeated name wins. The map has no prototype. */
export function parseQuery(search: string, maxPairs: number): Record<string, string> {
  const pairs = splitPairs(search, maxPairs);
  if (pairs === undefined) throw new HttpError(400, "Bad Request");
  const queries: Record<string, string> = Object.create(null);
  for (const [encoded, value] of pairs) {
    const name = decode(encoded);
    if (!(name in queries)) queries[name] = decode(value);
  }
  return queries;
}

function decode(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpError(400, "Bad Request");
  }
}
