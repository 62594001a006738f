import { HttpError } from "../errors.ts";

/** Flat: `a[b]=1` is a parameter named `a[b]`. The first of a repeated name wins. The map has no prototype. */
export function parseQuery(search: string, maxPairs: number): Record<string, string> {
  const queries: Record<string, string> = Object.create(null);
  let pairs = 0;
  for (let start = 0; start < search.length; ) {
    let end = search.indexOf("&", start);
    if (end < 0) end = search.length;
    if (end > start) {
      if (++pairs > maxPairs) throw new HttpError(400, "Bad Request");
      const equals = search.indexOf("=", start);
      const split = equals < 0 || equals > end ? end : equals;
      const name = decode(search.slice(start, split));
      if (!(name in queries)) queries[name] = decode(search.slice(split + 1, end));
    }
    start = end + 1;
  }
  return queries;
}

/**
 * One parameter, without reading the others: null when it is absent. Undefined when it cannot be told that way,
 * because something is encoded or there may be more than `maxPairs`.
 */
export function findInPlainQuery(search: string, name: string, maxPairs: number): string | null | undefined {
  if (search.length > 2 * maxPairs || search.includes("%") || search.includes("+")) return undefined;
  if (name.includes("&") || name.includes("=")) return null;
  for (let start = 0; start < search.length; ) {
    let end = search.indexOf("&", start);
    if (end < 0) end = search.length;
    const split = start + name.length;
    if (split <= end && search.startsWith(name, start)) {
      if (split < end && search.charCodeAt(split) === 0x3d) return search.slice(split + 1, end);
      if (split === end && end > start) return "";
    }
    start = end + 1;
  }
  return null;
}

function decode(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpError(400, "Bad Request");
  }
}
