import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A place in a source file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

export interface StackFrame extends Place {
  readonly column: number;
  /** The function; "" at the top of a file. */
  readonly name: string;
}

/** `src/posts.service.ts:12:5`: relative to a folder, if the file is in it. */
export function showPlace({ file, line, column }: Place, folder: string = process.cwd()): string {
  const path = relative(folder, file);
  return [path.startsWith("..") ? file : path, line, ...(column === undefined ? [] : [column])].join(":");
}

/** The frames of a stack, one per line. Without the message, which may quote a request and must not be parsed as a frame. */
export function framesOf({ message, stack = "" }: Pick<Error, "message" | "stack">): string {
  const start = stack.startsWith(message) ? 0 : stack.indexOf(message);
  const frames = start < 0 ? stack : stack.slice(start + message.length);
  return frames.replace(/^[^\n]*\n?/, "");
}

/** `    at PostsController.show (file:///srv/blog/src/posts.controller.ts:12:5)`; undefined for a line without a file. */
export function parseFrame(text: string): StackFrame | undefined {
  const [, name = "", file = "", line, column] =
    /^\s+at (?:async )?(?:new )?(?:(.*?) \()?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)\)?$/.exec(text) ?? [];
  const path = toPath(file);
  return line === undefined || path === undefined
    ? undefined
    : { name, file: path, line: Number(line), column: Number(column) };
}

/** The frames in files of the application, the innermost first. */
export function ownFramesOf(error: Pick<Error, "message" | "stack">): StackFrame[] {
  return framesOf(error)
    .split("\n")
    .flatMap((row) => parseFrame(row) ?? [])
    .filter(({ file }) => isOwn(file));
}

/** Undefined for a URL that is not one of a file on this machine. */
function toPath(file: string): string | undefined {
  try {
    return file.startsWith("file://") ? fileURLToPath(file) : file;
  } catch {
    return undefined;
  }
}

/** In a checkout, the packages of the framework are not below node_modules. */
const packages = join(import.meta.dirname, "../../..") + sep;

/** Whether it is a file of the application: neither of the framework nor of an installed package. */
export function isOwn(file: string): boolean {
  if (file.includes(`${sep}node_modules${sep}`)) return false;
  const [, folder = ""] = file.slice(packages.length).split(sep);
  return !file.startsWith(packages) || !["src", "dist"].includes(folder);
}
