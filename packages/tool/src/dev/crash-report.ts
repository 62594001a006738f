import { relative } from "node:path";
import { type Failure, readLines, toFailure } from "../run/failure.ts";
import type { Place } from "../run/find-syntax-error.ts";

const around = 2;
const mostCauses = 5;
const mostFrames = 8;

/** Why a process ended, for its developer: the message, the place with its source, and the frames of the application. */
export function toCrashReport(error: unknown, folder: string): string {
  const blocks: string[] = [];
  let cause = error;
  for (let count = 0; count < mostCauses; count++) {
    blocks.push(describe(toFailure(cause, folder), folder, count === 0 ? "" : "caused by "));
    if (!(cause instanceof Error) || cause.cause === undefined || cause.cause === cause) break;
    cause = cause.cause;
  }
  return `${blocks.join("\n")}\n`;
}

function describe({ message, place, frames }: Failure, folder: string, prefix: string): string {
  const title = `${prefix}${message}\n`;
  if (place === undefined) return title;
  const rest = frames.filter((frame) => !isSamePlace(frame, place)).slice(0, mostFrames);
  return [
    title,
    `  ${show(place, folder)}\n`,
    toExcerpt(place),
    ...rest.map((frame) => `  at ${frame.name === "" ? "" : `${frame.name} `}${show(frame, folder)}\n`),
  ].join("\n");
}

function toExcerpt({ file, line, column }: Place): string {
  const lines = readLines(file);
  if (lines[line - 1] === undefined) return "";
  const first = Math.max(1, line - around);
  const shown = lines.slice(first - 1, line + around);
  const width = String(first + shown.length).length;
  const rows = shown.flatMap((text, index) => {
    const number = first + index;
    const row = `  ${number === line ? ">" : " "} ${String(number).padStart(width)} | ${text}`;
    // tabs are kept, so that the mark stands below its character
    const before = text.slice(0, column - 1).replaceAll(/[^\t]/g, " ");
    return number === line ? [row, `    ${" ".repeat(width)} | ${before}^`] : [row];
  });
  return `${rows.map((row) => row.trimEnd()).join("\n")}\n`;
}

function show({ file, line, column }: Place, folder: string): string {
  const path = relative(folder, file);
  return `${path.startsWith("..") ? file : path}:${line}:${column}`;
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}
