import { findHints, type LocatedError, type Place, readExcerpt, toCodeFrame } from "@tenon/devtools/internal";
import { toShortPath } from "./source.ts";

/** Something that would stop an application. */
export interface FoundProblem {
  readonly kind: "start" | "routes" | "types";
  readonly message: string;
  /** Relative to the folder of the application. */
  readonly file?: string;
  readonly line?: number;
  /** The lines there, with the place marked. */
  readonly code?: string;
  /** How to solve a known problem. */
  readonly hint?: string;
}

/** Lines before and after a place. */
const around = 1;

/** One line, then the code and the hint. */
export function toProblemText(problem: FoundProblem): string {
  const { kind, code, hint } = problem;
  return [
    `${kind}: ${toProblemLine(problem)}\n`,
    ...(code === undefined ? [] : [`${code.replaceAll(/^/gm, "    ")}\n`]),
    ...(hint === undefined ? [] : [`    hint: ${hint}\n`]),
  ].join("");
}

/** In one line, without the code: for an error of which it is a part. */
export function toProblemLine({ message, file, line }: FoundProblem): string {
  return `${file === undefined ? "" : `${line === undefined ? file : `${file}:${line}`}: `}${message}`;
}

/** An error of the start. The name of a plain `Error` says nothing. */
export function toStartProblem({ message, place }: LocatedError, folder: string): FoundProblem {
  const text = message.replace(/^Error: (?=.)/, "").replaceAll(`${folder}/`, "");
  const code = place === undefined ? {} : readCode(place);
  return {
    kind: "start",
    message: text,
    ...(place === undefined ? {} : { file: toShortPath(place.file, folder), line: place.line }),
    ...code,
    ...readHint(message, code),
  };
}

/** The hint for a known problem; nothing for any other. */
export function readHint(message: string, { code = "" }: Pick<FoundProblem, "code">): Pick<FoundProblem, "hint"> {
  const [hint] = findHints({ text: message, source: code });
  return hint === undefined ? {} : { hint };
}

/** The lines at a place; nothing where they cannot be read. */
export function readCode(place: Place): Pick<FoundProblem, "code"> {
  const excerpt = readExcerpt(place, around);
  return excerpt === undefined ? {} : { code: toCodeFrame(excerpt, place.column) };
}
