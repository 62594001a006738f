import { HttpError } from "../support/errors.ts";
import { decodePercent } from "../support/path.ts";

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

/** By name: a repeated name gives a list. The map has no prototype. */
export function toRecord(pairs: Iterable<readonly [name: string, value: string]>): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const present = record[name];
    if (present === undefined) record[name] = value;
    else if (typeof present === "string") record[name] = [present, value];
    else present.push(value);
  }
  return record;
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

function decode(text: string): string {
  const decoded = decodePercent(text.replaceAll("+", " "));
  if (decoded === undefined) throw new HttpError(400, "Bad Request");
  return decoded;
}
