import { HttpError } from "../errors.ts";
import { splitPairs } from "./grammar.ts";

/** Names and values in their order, decoded. Flat: `a[b]=1` is a parameter named `a[b]`. */
export function readPairs(search: string, maxPairs: number): [name: string, value: string][] {
  const pairs = splitPairs(search, maxPairs);
  if (pairs === undefined) throw new HttpError(400, "Bad Request");
  if (!search.includes("%") && !search.includes("+")) return pairs;
  return pairs.map(([name, value]) => [decode(name), decode(value)]);
}

/** By name: the first of a repeated name wins. The map has no prototype. */
export function parseQuery(search: string, maxPairs: number): Record<string, string> {
  const queries: Record<string, string> = Object.create(null);
  for (const [name, value] of readPairs(search, maxPairs)) if (!(name in queries)) queries[name] = value;
  return queries;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpError(400, "Bad Request");
  }
}
