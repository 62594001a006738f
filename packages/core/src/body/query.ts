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

/** By name, lists for repeated names. The map has no prototype. */
export function toQueryRecord(pairs: readonly (readonly [name: string, value: string])[]): Record<string, unknown> {
  const record: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const present = record[name];
    if (present === undefined) record[name] = value;
    else if (typeof present === "string") record[name] = [present, value];
    else present.push(value);
  }
  return record;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpError(400, "Bad Request");
  }
}
