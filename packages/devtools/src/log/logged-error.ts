import { framesOf, ownFramesOf } from "../error-text/stack-frame.ts";
import { type LocatedError, toTerminalText } from "../error-text/terminal-text.ts";

/** An error as the log has copied it into a line. */
interface LoggedError {
  readonly stack: string;
  readonly message: string;
  /** Such as the statement of a database that failed. */
  readonly development?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** An error with its causes and the source of the application. Undefined where none of them passed a file of it. */
export function toErrorText(err: unknown): string | undefined {
  return hasOwnFrames(err) ? describe(err) : undefined;
}

function describe(err: unknown): string {
  if (!isError(err)) return typeof err === "string" ? err : JSON.stringify(err);
  return [
    toSourceText(err),
    ...errorsIn(err).map((inner) => `one of ${describe(inner)}`),
    ...(err.cause === undefined ? [] : [`caused by ${describe(err.cause)}`]),
  ].join("\n");
}

function toSourceText(err: LoggedError): string {
  const frames = ownFramesOf(err);
  const title = err.stack.slice(0, err.stack.length - framesOf(err).length).trimEnd();
  const fields = Object.entries((typeof err.development === "object" && err.development) || {});
  const message = [title, ...fields.map(([name, value]) => `  ${name}: ${value}`)].join("\n\n");
  const located: LocatedError = { message, place: frames[0], frames };
  return `${toTerminalText(located).replaceAll("\t", "  ")}\n`;
}

/** Whether the error or one of its causes was thrown in a file of the application, or passed one. */
function hasOwnFrames(err: unknown): boolean {
  if (!isError(err)) return false;
  return ownFramesOf(err).length > 0 || [err.cause, ...errorsIn(err)].some(hasOwnFrames);
}

function errorsIn({ errors }: LoggedError): readonly unknown[] {
  return Array.isArray(errors) ? errors : [];
}

function isError(err: unknown): err is LoggedError {
  if (typeof err !== "object" || err === null) return false;
  const { stack, message } = err as Partial<Record<string, unknown>>; // a line may have any object there
  return typeof stack === "string" && typeof message === "string";
}
