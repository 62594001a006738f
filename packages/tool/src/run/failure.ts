import { readFileSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { findSyntaxError, type Place } from "./find-syntax-error.ts";

export interface Frame extends Place {
  /** "" for the code of a module. */
  readonly name: string;
}

/** Why an application ended, found in its own process. */
export interface Failure {
  /** `SyntaxError: Expression expected` */
  readonly message: string;
  /** Where the developer should look; undefined where it is unknown. */
  readonly place: Place | undefined;
  /** Those of the application, the innermost first: neither of node nor of installed packages. */
  readonly frames: readonly Frame[];
}

/** `folder` is the real path of the application's folder. */
export function toFailure(error: unknown, folder: string): Failure {
  if (!(error instanceof Error)) {
    return { message: `${inspect(error, { depth: 2 })} was thrown`, place: undefined, frames: [] };
  }
  const frames = framesOf(error, folder);
  const place = placeInHead(error) ?? placeOfImport(error) ?? frames[0] ?? placeInSource(error, folder);
  return { message: `${error.name}: ${error.message}`, place, frames };
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

/** Node writes the path of a URL without its protocol for a file in a syntax error. */
function toPath(file: string): string {
  try {
    return file.startsWith("file://") ? fileURLToPath(file) : decodeURIComponent(file);
  } catch {
    return file; // a path with a percent sign
  }
}

/** Empty when the file cannot be read: a report must not fail. */
export function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch {
    return [];
  }
}
