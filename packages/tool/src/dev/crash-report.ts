import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { findSyntaxError, type Place } from "./find-syntax-error.ts";

interface Frame extends Place {
  readonly name: string;
}

const around = 2;
const mostCauses = 5;
const mostFrames = 8;

/** Why a process ended, for its developer: the message, the place with its source, and the frames of the application. */
export function toCrashReport(error: unknown, folder: string): string {
  const blocks: string[] = [];
  let cause = error;
  for (let count = 0; count < mostCauses; count++) {
    blocks.push(describe(cause, folder, count === 0 ? "" : "caused by "));
    if (!(cause instanceof Error) || cause.cause === undefined || cause.cause === cause) break;
    cause = cause.cause;
  }
  return `${blocks.join("\n")}\n`;
}

function describe(error: unknown, folder: string, prefix: string): string {
  if (!(error instanceof Error)) return `${prefix}${inspect(error, { depth: 2 })} was thrown\n`;
  const frames = framesOf(error, folder);
  const place = placeInHead(error) ?? placeOfImport(error) ?? frames[0] ?? placeInSource(error, folder);
  const title = `${prefix}${error.name}: ${error.message}\n`;
  if (place === undefined) return title;
  const rest = frames.filter((frame) => !isSamePlace(frame, place)).slice(0, mostFrames);
  return [
    title,
    `  ${show(place, folder)}\n`,
    toExcerpt(place),
    ...rest.map((frame) => `  at ${frame.name === "" ? "" : `${frame.name} `}${show(frame, folder)}\n`),
  ].join("\n");
}

/** `/srv/blog/src/main.ts:3`, the lines there and carets below: node writes them before the name of a syntax error. */
function placeInHead({ stack = "" }: Error): Place | undefined {
  const [, file = "", line = "", marks = ""] = /^(.+):(\d+)\n(?:.*\n){1,4}?([ \t]*\^+)\n/.exec(stack) ?? [];
  return line === "" ? undefined : { file: toPath(file), line: Number(line), column: marks.indexOf("^") + 1 };
}

/** The import of a module that does not exist: its message names the file, and not the line. */
function placeOfImport({ message }: Error): Place | undefined {
  const [, missing = "", file = ""] =
    /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/.exec(message) ?? [];
  if (file === "") return undefined;
  const name = missing.split(/[/\\]/).at(-1) ?? missing;
  const lines = readLines(toPath(file));
  const line = lines.findIndex((text) => /\b(?:import|from)\b/.test(text) && text.includes(name));
  return line === -1
    ? undefined
    : { file: toPath(file), line: line + 1, column: (lines[line]?.search(/["']/) ?? 0) + 1 };
}

function placeInSource(error: Error, folder: string): Place | undefined {
  return error instanceof SyntaxError ? findSyntaxError(folder) : undefined;
}

/** Those of the application: neither of node nor of installed packages. */
function framesOf({ stack = "" }: Error, folder: string): Frame[] {
  return stack.split("\n").flatMap((text) => {
    const [, name = "", file = "", line, column] =
      /^ {4}at (?:async )?(?:(.*) \()?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)\)?$/.exec(text) ?? [];
    if (line === undefined) return [];
    const path = toPath(file);
    const isOwn = path.startsWith(folder + sep) && !path.includes(`${sep}node_modules${sep}`);
    return isOwn ? [{ name, file: path, line: Number(line), column: Number(column) }] : [];
  });
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

function toPath(file: string): string {
  return file.startsWith("file://") ? fileURLToPath(file) : file;
}

/** Empty when the file cannot be read: the report must not fail. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch {
    return [];
  }
}
