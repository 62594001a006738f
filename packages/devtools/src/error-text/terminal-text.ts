import { readExcerpt, toCodeFrame } from "./code-frame.ts";
import { findHints } from "./hints.ts";
import { type Place, type StackFrame, showPlace } from "./stack-frame.ts";

/** An error, as a terminal shows it. */
export interface LocatedError {
  /** `SyntaxError: Expression expected` */
  readonly message: string;
  /** Where the developer should look; undefined where it is unknown. */
  readonly place: Place | undefined;
  /** Those of the application, the innermost first: neither of node nor of installed packages. */
  readonly frames: readonly StackFrame[];
}

/** Lines before and after a place. */
const around = 2;
const mostFrames = 8;

/** The message, the place with its source, hints for known problems, and the other frames: in blocks with an empty line between them. */
export function toTerminalText({ message, place, frames }: LocatedError, folder: string = process.cwd()): string {
  const excerpt = place === undefined ? undefined : readExcerpt(place, around);
  const hints = findHints({ text: message, source: excerpt?.lines.map(({ text }) => text).join("\n") ?? "" });
  const rest = frames.filter((frame) => place === undefined || !isSamePlace(frame, place)).slice(0, mostFrames);
  return [
    message,
    ...(place === undefined ? [] : [`  ${showPlace(place, folder)}`]),
    ...(excerpt === undefined ? [] : [toCodeFrame(excerpt, place?.column).replaceAll(/^/gm, "  ")]),
    ...hints.map((hint) => `  hint: ${hint}`),
    ...(rest.length === 0 ? [] : [rest.map((frame) => `  ${describeFrame(frame, folder)}`).join("\n")]),
  ].join("\n\n");
}

function describeFrame(frame: StackFrame, folder: string): string {
  return ["at", frame.name, showPlace(frame, folder)].filter((word) => word !== "").join(" ");
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}
