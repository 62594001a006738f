/** A line of the access log for a terminal: `GET /posts/1 200 1.2 ms`, and its other fields. */
export interface AccessText {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const shortestPath = 16;
/** Enough to tell ids apart. The response and the line of an error have the whole id. */
const longestId = 8;

/** Fits a number of columns by shortening the path and the ids. Undefined for a line that is not one of `accessLog()`. */
export function toAccessText(line: Readonly<Record<string, unknown>>, columns: number): AccessText | undefined {
  const { msg, method, path, status, ms, ...others } = line;
  if (msg !== "request" || typeof path !== "string" || typeof status !== "number") return undefined;
  const fields = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, toShortId(value)]));
  const taken = Object.entries(fields).reduce((sum, [name, value]) => sum + ` ${name}=${String(value)}`.length, 0);
  const [start, end] = [`${String(method)} `, ` ${status} ${String(ms)} ms`];
  const left = Math.max(shortestPath, columns - taken - start.length - end.length);
  return { message: `${start}${shortenPath(path, left)}${end}`, fields };
}

function toShortId(value: unknown): unknown {
  return typeof value === "string" && value.length > longestId ? value.slice(0, longestId) : value;
}

/** `/posts/2026/…/comments`: the start tells the resource, and the end what was done with it. */
function shortenPath(path: string, length: number): string {
  if (path.length <= length) return path;
  const end = Math.floor((length - 1) / 3);
  return `${path.slice(0, length - 1 - end)}…${path.slice(-end)}`;
}
