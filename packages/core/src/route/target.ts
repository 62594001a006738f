import { HttpError } from "../errors.ts";

/** The only error of the route table that is the client's: anything else that it throws is a defect of the server. */
export class MalformedTarget extends HttpError {
  constructor() {
    super(400, "Bad Request");
  }
}

/**
 * The path of a request, cut at raw `/`. Its segments are made when somebody asks for them, decoded as `splitPath` does.
 * One is enough for a router, path after path: a search is over before the next one begins.
 */
export class Target {
  #path = "";
  /** Where each segment ends; behind `length` is what a longer path left. */
  readonly #ends: number[] = [];
  #length = 0;
  /** Undefined when nothing in the path is encoded, or may be a dot. */
  #decoded: readonly string[] | undefined;

  /** `path` starts with a slash. Throws a MalformedTarget like `splitPath`. */
  read(path: string, isCommand: boolean): this {
    let length = 0;
    for (let end = path.indexOf("/", 1); end >= 0; end = path.indexOf("/", end + 1)) this.#ends[length++] = end;
    this.#ends[length++] = path.length;
    this.#path = path;
    this.#length = length;
    const odd = path.includes("%") || path.includes("/.");
    this.#decoded = odd ? splitPath(path, isCommand) : undefined;
    return this;
  }

  /** How many segments there are. */
  get length(): number {
    return this.#length;
  }

  segment(index: number): string {
    if (this.#decoded !== undefined) return this.#decoded[index] as string; // the caller has looked at the length
    return this.#path.slice(this.#startOf(index), this.#ends[index]);
  }

  /** All of it, as `toExactKey` spells it; "" when a segment has a `/` inside, because `%2F` never acts as a separator. */
  whole(): string {
    if (this.#decoded === undefined) return this.#path;
    return this.#decoded.some((segment) => segment.includes("/")) ? "" : toExactKey(this.#decoded);
  }

  /** The first segments, decoded, with `/` between them: one with a `/` inside makes more of them than there are. */
  prefix(count: number): string {
    if (this.#decoded !== undefined) return this.#decoded.slice(0, count).join("/");
    return count === 0 ? "" : this.#path.slice(1, this.#ends[count - 1]);
  }

  /** What follows the first segments, as it was sent. */
  rest(count: number): string {
    return this.#path.slice(this.#startOf(count));
  }

  #startOf(index: number): number {
    return index === 0 ? 1 : (this.#ends[index - 1] as number) + 1; // as above
  }
}

/** Decoded but for `%`, so that a path looked up as it was sent is never taken for one that only reads like it. */
export function toExactKey(segments: readonly string[]): string {
  return `/${segments.join("/").replaceAll("%", "%25")}`;
}

/**
 * The path of a request, split on raw `/` and decoded once per segment. `%2F` stays inside its value.
 * The words of a command may be anything: they lead nowhere and were encoded by the framework itself.
 */
export function splitPath(path: string, isCommand: boolean): string[] {
  if (!isCommand) refuseNul(path);
  const segments = path.slice(1).split("/");
  const encoded = path.includes("%");
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index] as string; // the index is below the length
    const decoded = encoded ? decodeSegment(segment) : segment;
    if (!isCommand && (decoded === "." || decoded === "..")) throw new MalformedTarget();
    segments[index] = decoded;
  }
  return segments;
}

/** PostgreSQL fails on U+0000, SQLite stores it, and file names end at it. `text` is encoded: a path or a query. */
export function refuseNul(text: string): void {
  if (text.includes("%00")) throw new MalformedTarget();
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new MalformedTarget();
  }
}
