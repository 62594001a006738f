/** What can go wrong at start. Each code has one cause and one cure, listed in docs/errors.md. */
export type StartCode =
  | "BAD_ENVIRONMENT"
  | "BAD_OPTION"
  | "BAD_MODULE"
  | "MODULE_CYCLE"
  | "DUPLICATE_MODULE"
  | "BAD_DECLARATION"
  | "DUPLICATE_DECLARATION"
  | "EXPORT_NOT_DECLARED"
  | "UNKNOWN_DEPENDENCY"
  | "DEPENDENCY_CYCLE"
  | "INJECT_OUTSIDE_CONSTRUCTION"
  | "CONSTRUCTION_FAILED"
  | "CONTROLLER_WITHOUT_ROUTES"
  | "BAD_ROUTE"
  | "BAD_HANDLER"
  | "BAD_MIDDLEWARE"
  | "DUPLICATE_ROUTE"
  | "UNKNOWN_ROUTE"
  | "OVERRIDE_WITHOUT_TARGET"
  | "START_HOOK_FAILED"
  | "LISTEN_FAILED";

export interface Problem {
  readonly code: StartCode;
  readonly message: string;
  readonly cause?: unknown;
}

/** One or more mistakes that stop the start. All of them are listed, so that one run shows them all. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const cause = problems.find((problem) => problem.cause !== undefined)?.cause;
    super(toText(problems), cause === undefined ? undefined : { cause });
    this.problems = problems;
  }
}

function toText(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) return first.message;
  const list = problems.map((problem, index) => `  ${index + 1}. ${problem.message.replaceAll("\n", "\n     ")}`);
  return `${problems.length} problems:\n${list.join("\n")}`;
}

export interface HttpErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Thrown by handlers and middlewares: answered with its status and `{ error: message }`. */
export class HttpError extends Error {
  override readonly name: string = "HttpError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`HttpError takes a status from 400 to 599, not ${String(status)}`);
    }
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

export interface Issue {
  /** Where in the input: `title`, `tags.0`, `author.email`; empty for the input as a whole. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** The input could not be bound. Clients read `Invalid request`; the issues are for logs and for apps that show them. */
export class BindError extends HttpError {
  override readonly name = "BindError";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], options: HttpErrorOptions = {}) {
    super(400, "Invalid request", options);
    this.issues = issues;
  }
}
