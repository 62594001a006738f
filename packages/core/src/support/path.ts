import { HttpError } from "./errors.ts";

/** A path or query that no route can match. Anything else that is thrown for it is a defect of the server. */
export class MalformedTarget extends HttpError {
  constructor() {
    super(400, "Bad Request");
  }
}

/**
 * The path of a request, split on raw `/` and decoded once per segment. `%2F` stays inside its value.
 * The words of a command may be anything: the framework itself has encoded them, and they never name a file.
 */
export function splitPath(path: string, isCommand: boolean): string[] {
  if (!isCommand) refuseNul(path);
  const segments = path.slice(1).split("/");
  if (isPlain(path)) return segments;
  return segments.map((segment) => {
    const decoded = decodePercent(segment);
    if (decoded === undefined || (!isCommand && (decoded === "." || decoded === ".."))) throw new MalformedTarget();
    return decoded;
  });
}

/** Whether no segment is encoded or made of dots. */
export function isPlain(path: string): boolean {
  return !path.includes("%") && !path.includes("/.");
}

/** PostgreSQL fails on U+0000, SQLite stores it, and file names end at it. `text` is encoded: a path or a query. */
export function refuseNul(text: string): void {
  if (text.includes("%00")) throw new MalformedTarget();
}

/** Undefined where the encoding is malformed. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
