import { type Failure, toFailureText } from "../failure/failure-text.ts";
import { framesOf, ownFramesOf } from "../failure/stack-frame.ts";

/** An error as the log has copied it into a line. */
interface LoggedError {
  readonly stack: string;
  readonly message: string;
  /** The statement of a database that failed. */
  readonly sql?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** An error with its causes, for a terminal. `withSource` shows the source of the application instead of whole stacks. */
export function toErrorText(err: unknown, withSource: boolean): string {
  return withSource && hasOwnFrames(err) ? describe(err, toSourceText) : describe(err, toStackText);
}

function describe(err: unknown, toText: (error: LoggedError) => string): string {
  if (!isError(err)) return typeof err === "string" ? err : JSON.stringify(err);
  const { cause, errors = [] } = err;
  return [
    toText(err),
    ...errors.map((inner) => `one of ${describe(inner, toText)}`),
    ...(cause === undefined ? [] : [`caused by ${describe(cause, toText)}`]),
  ].join("\n");
}

function toStackText({ stack, sql }: LoggedError): string {
  const lines = [...stack.split("\n").map((line) => line.trim()), ...(typeof sql === "string" ? [`sql: ${sql}`] : [])];
  return lines.join("\n");
}

function toSourceText(err: LoggedError): string {
  const frames = ownFramesOf(err);
  const title = err.stack.slice(0, err.stack.length - framesOf(err).length).trimEnd();
  const failure: Failure = {
    message: typeof err.sql === "string" ? `${title}\n\n  sql: ${err.sql}` : title,
    place: frames[0],
    frames,
  };
  return `${toFailureText(failure).replaceAll("\t", "  ")}\n`;
}

/** Whether the error or one of its causes was thrown in a file of the application, or passed one. */
function hasOwnFrames(err: unknown): boolean {
  if (!isError(err)) return false;
  return ownFramesOf(err).length > 0 || [err.cause, ...(err.errors ?? [])].some(hasOwnFrames);
}

function isError(err: unknown): err is LoggedError {
  if (typeof err !== "object" || err === null) return false;
  const { stack, message } = err as Partial<Record<string, unknown>>; // a line may have any object there
  return typeof stack === "string" && typeof message === "string";
}
