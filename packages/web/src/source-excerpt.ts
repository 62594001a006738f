import { readFileSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { TemplateError } from "./view-engine.ts";

export interface SourceLine {
  readonly number: number;
  readonly text: string;
  readonly isHit: boolean;
}

export interface SourceExcerpt {
  readonly file: string;
  readonly line: number;
  readonly lines: readonly SourceLine[];
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

const around = 6;
const largestFile = 1024 * 1024;
/** In a workspace the packages are not below node_modules. */
const framework = [import.meta.url, import.meta.resolve("@tenon/core")].map((url) => dirname(fileURLToPath(url)) + sep);

/** The lines around the first place in a file of the application that a chain of errors names. */
export function findSource(chain: readonly unknown[]): SourceExcerpt | undefined {
  for (const error of chain) {
    const place = error instanceof Error ? placeOf(error) : undefined;
    const excerpt = place === undefined ? undefined : readExcerpt(place);
    if (excerpt !== undefined) return excerpt;
  }
  return undefined;
}

function placeOf(error: Error): Place | undefined {
  if (error instanceof TemplateError) {
    return error.line === undefined ? undefined : { file: error.file, line: error.line };
  }
  return framesOf(error)
    .split("\n")
    .map(parseFrame)
    .find((place) => place !== undefined && isOwn(place.file));
}

/** Without the message, which may quote a request and must not be parsed as a frame. */
export function framesOf({ message, stack = "" }: Error): string {
  const start = stack.startsWith(message) ? 0 : stack.indexOf(message);
  const frames = start < 0 ? stack : stack.slice(start + message.length);
  return frames.replace(/^[^\n]*\n?/, "");
}

/** `    at PostsController.show (file:///srv/blog/src/posts.controller.ts:12:5)` */
export function parseFrame(frame: string): Place | undefined {
  const [, file = "", line, column] =
    /^\s+at (?:async )?(?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)\)?$/.exec(frame) ?? [];
  if (line === undefined) return undefined;
  const path = file.startsWith("file://") ? fileURLToPath(file) : file;
  return { file: path, line: Number(line), column: Number(column) };
}

/** Whether it is a file of the application: neither of the framework nor of an installed package. */
export function isOwn(file: string): boolean {
  return !framework.some((folder) => file.startsWith(folder)) && !file.includes(`${sep}node_modules${sep}`);
}

/** The lines around a place; undefined when they cannot be read. */
export function readExcerpt({ file, line }: Place): SourceExcerpt | undefined {
  const lines = readLines(file);
  if (lines[line - 1] === undefined) return undefined;
  const first = Math.max(0, line - 1 - around);
  return {
    file,
    line,
    lines: lines.slice(first, line + around).map((text, index) => {
      const number = first + index + 1;
      return { number, text, isHit: number === line };
    }),
  };
}

/** Empty when the file cannot be read: the developer page must not fail. */
function readLines(file: string): string[] {
  try {
    return statSync(file).size > largestFile ? [] : readFileSync(file, "utf8").split(/\r?\n/);
  } catch {
    return [];
  }
}
