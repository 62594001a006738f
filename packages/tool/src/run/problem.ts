import { type Failure, readLines } from "./failure.ts";
import { toShortPath } from "./source.ts";

/** Something that would stop an application. */
export interface FoundProblem {
  readonly kind: "start" | "routes" | "types";
  readonly message: string;
  /** Relative to the folder of the application. */
  readonly file?: string;
  readonly line?: number;
  /** The text of the line. */
  readonly code?: string;
}

/** One line, and a second one with the code. */
export function toProblemText(problem: FoundProblem): string {
  const { kind, code } = problem;
  return `${kind}: ${toProblemLine(problem)}\n${code === undefined ? "" : `    ${code}\n`}`;
}

/** In one line, without the code: for an error of which it is a part. */
export function toProblemLine({ message, file, line }: FoundProblem): string {
  return `${file === undefined ? "" : `${line === undefined ? file : `${file}:${line}`}: `}${message}`;
}

/** A failure of the start. The name of a plain `Error` says nothing. */
export function toStartProblem({ message, place }: Failure, folder: string): FoundProblem {
  const text = message.replace(/^Error: (?=.)/, "").replaceAll(`${folder}/`, "");
  if (place === undefined) return { kind: "start", message: text };
  const { file, line } = place;
  return { kind: "start", message: text, file: toShortPath(file, folder), line, ...readCode(file, line) };
}

/** The text of a line; nothing where it cannot be read. */
export function readCode(file: string, line: number): Pick<FoundProblem, "code"> {
  const code = readLines(file)[line - 1]?.trim();
  return code === undefined || code === "" ? {} : { code };
}
