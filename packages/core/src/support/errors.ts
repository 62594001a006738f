/** What can go wrong at start. docs/errors.md has a section for each. */
export const startCodes = [
  "BAD_ENVIRONMENT",
  "BAD_OPTION",
  "BAD_MODULE",
  "DUPLICATE_MODULE",
  "DUPLICATE_DECLARATION",
  "EXPORT_NOT_DECLARED",
  "UNKNOWN_DEPENDENCY",
  "DEPENDENCY_CYCLE",
  "INJECT_OUTSIDE_CONSTRUCTION",
  "CONSTRUCTION_FAILED",
  "CONTROLLER_WITHOUT_ROUTES",
  "ROUTES_FAILED",
  "BAD_ROUTE",
  "BAD_HANDLER",
  "BAD_CONTRACT",
  "BAD_MIDDLEWARE",
  "DUPLICATE_ROUTE",
  "UNKNOWN_ROUTE",
  "OVERRIDE_WITHOUT_TARGET",
  "START_HOOK_FAILED",
  "APP_STOPPED",
  "LISTEN_FAILED",
  "BAD_VIEW",
] as const;
export type StartCode = (typeof startCodes)[number];

export interface Problem {
  readonly code: StartCode;
  readonly message: string;
  readonly cause?: unknown;
}

/** One or more problems that stop the start. All of them are listed, so that one run shows them all. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    // a broken middleware that five routes list is one problem
    const unique = [...new Map(problems.map((problem) => [`${problem.code} ${problem.message}`, problem])).values()];
    const cause = unique.find((problem) => problem.cause !== undefined)?.cause;
    super(toText(unique), cause === undefined ? undefined : { cause });
    this.problems = unique;
  }
}

function toText(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) return first.message;
  const list = problems.map((problem, index) => `  ${index + 1}. ${problem.message.replaceAll("\n", "\n     ")}`);
  return `${problems.length} problems:\n${list.join("\n")}`;
}

/** An error of other code inside one of our messages, and how to see where it was thrown. */
export function quoteError(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : describeValue(error);
  // the message of an HttpError is for clients: its cause says what failed
  const cause = error instanceof HttpError && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${`${text}${cause}`.replace(/\.$/, "")}. LOG_LEVEL=debug shows where it was thrown.`;
}

/** A wrong value, as an error message names it. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") {
    const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
    return `the ${kind} ${value.name || "(anonymous)"}`;
  }
  if (typeof value === "object") {
    const name = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === "string" && name !== "Object" ? `an object (${name})` : "an object";
  }
  return typeof value === "string" ? `the text ${JSON.stringify(value)}` : `the ${typeof value} ${String(value)}`;
}

const shownWhole = 10;

/** Names joined with arrows; of a long chain the first three and the last three. */
export function describeChain(names: readonly string[]): string {
  if (names.length <= shownWhole) return names.join(" → ");
  const more = `… ${(names.length - 6).toLocaleString("en-US")} more …`;
  return [...names.slice(0, 3), more, ...names.slice(-3)].join(" → ");
}

export interface HttpErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Sent as JSON instead of the application's error format. */
  readonly body?: unknown;
}

/** Thrown by handlers and middlewares. The response has its status and, in the default error format, `{ error: message }`. */
export class HttpError extends Error {
  override readonly name: string = "HttpError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`HttpError takes a status from 400 to 599, not ${String(status)}`);
    }
    this.status = status;
    this.headers = options.headers ?? {};
    this.body = options.body;
  }
}

/** Thrown by `ctx.fail()` where a schema is declared. The kernel sets the body: the declared fields of `detail`. */
export class DeclaredError extends HttpError {
  declare body: unknown;
  readonly detail: unknown;

  constructor(status: number, detail: unknown) {
    super(status, `Error ${status}`);
    this.detail = detail;
  }
}

/** A 429 with `Retry-After`: whole seconds, at least one. */
export function tooManyRequests(seconds: number): HttpError {
  const retryAfter = String(Math.max(1, Math.ceil(seconds)));
  return new HttpError(429, "Too Many Requests", { headers: { "retry-after": retryAfter } });
}

/** What a thrown value becomes for the client: an HttpError as it is, anything else a 500 that reveals nothing. */
export function toHttpError(error: unknown): HttpError {
  return error instanceof HttpError ? error : new HttpError(500, "Internal Server Error");
}

/** The parts of a request that a contract declares. */
export type InputPart = "params" | "query" | "headers" | "body";

export interface Issue {
  /** The part of the request that was bound; undefined for `ctx.bind()`. */
  readonly in?: InputPart;
  /** Where in the input: `title`, `tags.0`, `author.email`; empty for the input as a whole. */
  readonly path: string;
  /** `path` key by key, for names that contain a dot. `bind()` always sets it. */
  readonly keys?: readonly (string | number)[];
  readonly rule: string;
  readonly message: string;
}

/** The input could not be bound. Clients read `Invalid request`; the issues are for logs and for apps that show them. */
export class BindError extends HttpError {
  override readonly name = "BindError";
  readonly issues: readonly Issue[];

  /** The status is the `rejectedStatus` of the application's error format; the kernel sets it. */
  constructor(issues: readonly Issue[], options: HttpErrorOptions & { readonly status?: number } = {}) {
    super(options.status ?? 400, "Invalid request", options);
    this.issues = issues;
  }
}

const mostCauses = 10;

/** An error and what has caused it, in the order of a stack. Errors may cause each other. */
export function causesOf(error: unknown): Error[] {
  const list: Error[] = [];
  for (let next = error; next instanceof Error && list.length < mostCauses && !list.includes(next); next = next.cause) {
    list.push(next);
  }
  return list;
}
