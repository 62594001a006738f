/** A parsed path pattern. Only this file parses one. */
export interface Pattern {
  readonly path: string;
  /** Static text, or undefined for a parameter. The trailing `*` is not a segment. */
  readonly segments: readonly (string | undefined)[];
  /** The position of each parameter, without `*`. */
  readonly params: readonly { readonly name: string; readonly index: number }[];
  readonly wildcard: boolean;
}

export class PatternError extends Error {}

const parameterName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const unusableCharacter = /[\u0000-\u001f\u007f?#\\]/;
/** Requests are decoded before they are compared, so encoded text would match other requests than it shows. */
const encodedText = /(?:%(?!25)[0-9A-Fa-f]{2})+/;

/**
 * Reads `/users/:id/files/*`. A command's path is the same without the leading slash.
 * Text is written decoded, `/a b` and `/100%`; only a `%` before two hexadecimal digits is written `%25`.
 */
export function parsePattern(path: string): Pattern {
  const [character] = unusableCharacter.exec(path) ?? [];
  if (character !== undefined) throw new PatternError(`a path cannot contain ${JSON.stringify(character)}`);
  const [encoded] = encodedText.exec(path) ?? [];
  if (encoded !== undefined) {
    const literal = encoded.replaceAll("%", "%25");
    throw new PatternError(`a path is written decoded, not "${encoded}": write "${literal}" for these characters`);
  }
  if (!path.isWellFormed()) throw new PatternError("a path is well-formed Unicode");
  const parts = (path.startsWith("/") ? path.slice(1) : path).split("/");
  const wildcard = parts.at(-1) === "*";
  if (wildcard) parts.pop();

  const params: { name: string; index: number }[] = [];
  const segments = parts.map((part, index) => {
    if (part.includes("*")) throw new PatternError('"*" must be the whole last segment, as in "/files/*"');
    if (part === "" && (index < parts.length - 1 || wildcard)) {
      throw new PatternError('a path has no empty segments ("//")');
    }
    if (part === "." || part === "..") throw new PatternError(`"${part}" is not a segment that a request can carry`);
    const name = part.slice(1);
    const isParameter = part.startsWith(":");
    if (isParameter ? !parameterName.test(name) : /\{.*\}/.test(part)) {
      throw new PatternError(
        `"${part}" is not a parameter: write ":name" as a whole segment, with letters, digits and "_"`,
      );
    }
    if (!isParameter) return part.replaceAll("%25", "%");
    if (params.some((param) => param.name === name)) throw new PatternError(`it has ":${name}" twice`);
    params.push({ name, index });
    return undefined;
  });
  return { path, segments, params, wildcard };
}

/** The path of a child inside its group. Never yields `//`; a child `/` is the group's own path. */
export function joinPaths(group: string, child: string): string {
  const head = group.endsWith("/") ? group.slice(0, -1) : group;
  const tail = child.startsWith("/") ? child.slice(1) : child;
  if (tail === "") return head === "" ? group || child : head;
  return head === "" && !group.startsWith("/") && !child.startsWith("/") ? tail : `${head}/${tail}`;
}

/** Two patterns of the same shape match the same paths, whatever their parameters are called. */
export function shapeOf(pattern: Pattern): string {
  const text = pattern.segments.map((segment) => (segment === undefined ? ":" : `=${segment}`)).join("/");
  return pattern.wildcard ? `${text}/*` : text;
}

export function isExact(pattern: Pattern): boolean {
  return pattern.params.length === 0 && !pattern.wildcard;
}

function staticCount(pattern: Pattern): number {
  return pattern.segments.length - pattern.params.length;
}

/** How many static segments it begins with. */
export function staticPrefix(pattern: Pattern): number {
  const end = pattern.segments.indexOf(undefined);
  return end < 0 ? pattern.segments.length : end;
}

/**
 * Negative when `a` is tried before `b`.
 * Patterns: more static segments, then the left-most static one. Wildcards: the longest static prefix first of all.
 */
export function comparePatterns(a: Pattern, b: Pattern): number {
  return (
    Number(a.wildcard) - Number(b.wildcard) ||
    (a.wildcard ? staticPrefix(b) - staticPrefix(a) : 0) ||
    staticCount(b) - staticCount(a) ||
    b.segments.length - a.segments.length ||
    firstDifference(a, b)
  );
}

function firstDifference(a: Pattern, b: Pattern): number {
  const index = a.segments.findIndex(
    (segment, position) => (segment === undefined) !== (b.segments[position] === undefined),
  );
  if (index < 0) return 0;
  return a.segments[index] === undefined ? 1 : -1;
}

/** Whether some path is matched by both. */
export function overlaps(a: Pattern, b: Pattern): boolean {
  if (!a.wildcard && !b.wildcard && a.segments.length !== b.segments.length) return false;
  if (!a.wildcard && b.wildcard && a.segments.length <= b.segments.length) return false;
  if (!b.wildcard && a.wildcard && b.segments.length <= a.segments.length) return false;
  const length = Math.min(a.segments.length, b.segments.length);
  for (let index = 0; index < length; index++) {
    const left = a.segments[index];
    const right = b.segments[index];
    if (left !== undefined && right !== undefined && left !== right) return false;
    if ((left === "" && right === undefined) || (left === undefined && right === "")) return false;
  }
  return true;
}

/** The names of the parameters in a path: `ParamNames<"/posts/:id">` is `"id"`. */
export type ParamNames<Path extends string> = string extends Path
  ? string
  : Path extends `${infer Head}/${infer Rest}`
    ? ParamName<Head> | ParamNames<Rest>
    : ParamName<Path>;
type ParamName<Segment extends string> = Segment extends `:${infer Name}` ? Name : Segment extends "*" ? "*" : never;
