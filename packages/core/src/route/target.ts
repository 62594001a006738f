import { HttpError } from "../errors.ts";

/**
 * The path of a request, split on raw `/` and decoded once per segment. `%2F` stays inside its value.
 * `allowDots` is for the words of a command, where "." and ".." lead nowhere.
 */
export function splitPath(path: string, allowDots: boolean): string[] {
  const segments = path.slice(1).split("/");
  const encoded = path.includes("%");
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index] as string; // the index is below the length
    const decoded = encoded ? decodeSegment(segment) : segment;
    if (!allowDots && (decoded === "." || decoded === "..")) throw new HttpError(400, "Bad Request");
    segments[index] = decoded;
  }
  return segments;
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, "Bad Request");
  }
}
