import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { type LocatedError, ownFramesOf, type Place, readLines } from "@tenon/devtools/internal";
import { findSyntaxError } from "./find-syntax-error.ts";
import { findImportCycle } from "./import-cycle.ts";
import { toShortPath } from "./source.ts";

/** Why an application ended, found in its own process. `folder` is the real path of the application's folder. */
export function toLocatedError(error: unknown, folder: string): LocatedError {
  if (!(error instanceof Error)) {
    return { message: `${inspect(error, { depth: 2 })} was thrown`, place: undefined, frames: [] };
  }
  const frames = ownFramesOf(error);
  const known = placeInHead(error) ?? placeOfImport(error) ?? frames[0];
  const place = known ?? (error instanceof SyntaxError ? findSyntaxError(folder) : undefined);
  return { message: `${error.name}: ${error.message}${describeCycle(error, place, folder)}`, place, frames };
}

/** The files that import each other, where a name is used before its file has run. */
function describeCycle({ message }: Error, place: Place | undefined, folder: string): string {
  if (place === undefined || !/^Cannot access '.+' before initialization$/.test(message)) return "";
  const files = findImportCycle(place.file)?.map((file) => toShortPath(file, folder));
  return files === undefined ? "" : `. Files import each other: ${files.join(" → ")}`;
}

/** `/srv/blog/src/main.ts:3`, the lines there and carets below: node writes them before the name of a syntax error. */
function placeInHead({ stack = "" }: Error): Place | undefined {
  const [, file = "", line = "", marks = ""] = /^(.+):(\d+)\n(?:.*\n){1,4}?([ \t]*\^+)\n/.exec(stack) ?? [];
  return line === "" ? undefined : { file: toPath(file), line: Number(line), column: marks.indexOf("^") + 1 };
}

/** The import of a module that does not exist: its message names the file, and not the line. */
function placeOfImport({ message }: Error): Place | undefined {
  const [, missing = "", file = ""] =
    /^(?:Cannot find (?:module|package)|Directory import) '([^']+)'.* imported from (.+)$/.exec(message) ?? [];
  if (file === "") return undefined;
  const name = missing.split(/[/\\]/).at(-1) ?? missing;
  const lines = readLines(toPath(file));
  const line = lines.findIndex((text) => /\b(?:import|from)\b/.test(text) && text.includes(name));
  return line === -1
    ? undefined
    : { file: toPath(file), line: line + 1, column: (lines[line]?.search(/["']/) ?? 0) + 1 };
}

/** Node writes the path of a URL without its protocol for a file in a syntax error. */
function toPath(file: string): string {
  try {
    return file.startsWith("file://") ? fileURLToPath(file) : decodeURIComponent(file);
  } catch {
    return file; // a path with a percent sign
  }
}
