import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { toShortPath } from "./source.ts";

/** Something that `tenon check` found. */
export interface FoundProblem {
  readonly kind: "start" | "routes" | "types";
  readonly message: string;
  /** Relative to the folder of the application. */
  readonly file?: string;
  readonly line?: number;
  /** The text of the line. */
  readonly code?: string;
}

export function toProblemText({ kind, message, file, line, code }: FoundProblem): string {
  const place = file === undefined ? "" : ` ${line === undefined ? file : `${file}:${line}`}:`;
  return `${kind}:${place} ${message}\n${code === undefined ? "" : `    ${code}\n`}`;
}

const startMark = /^Cannot start: /m;

/** What an application wrote to standard error before it ended: its own list of problems, or an uncaught error. */
export function readStartProblems(output: string, entry: string, folder: string): FoundProblem[] {
  const mark = startMark.exec(output);
  if (mark === null) return [readUncaught(output, entry, folder)];
  const text = output.slice(mark.index + mark[0].length).trimEnd();
  if (!/^\d+ problems:\n/.test(text)) return [{ kind: "start", file: entry, message: text }];
  const items = text.split(/\n {2}\d+\. /).slice(1);
  return items.map((item) => ({ kind: "start", file: entry, message: item.replaceAll("\n     ", " ") }));
}

/** The error and its place in the application, without the stack of Node. */
function readUncaught(output: string, entry: string, folder: string): FoundProblem {
  const error = /^(\w*Error)(?: \[\w+\])?(?:: (.*))?$/m.exec(output);
  if (error === null) return { kind: "start", file: entry, message: output.trim() || "it ended without a message" };
  const [, type = "", detail = ""] = error;
  const message = type === "Error" && detail !== "" ? detail : `${type}: ${detail}`;
  const head = /^(?:file:\/\/)?(\/.+|[A-Za-z]:\\.+):(\d+)$/m.exec(output.slice(0, error.index));
  const frame = /^ {4}at (?:.*[ (])?(file:\/\/[^\s)]+|\/[^():]+):(\d+):\d+\)?$/m.exec(output.slice(error.index));
  const importer = / imported from (.+?)$/m.exec(detail);
  const [file, line] =
    head !== null ? [head[1], head[2]] : frame !== null ? [frame[1], frame[2]] : [importer?.[1], undefined];
  if (file === undefined) return { kind: "start", file: entry, message };
  const short = toShortPath(toPath(file), folder);
  const shown = { kind: "start", file: short, message: message.replaceAll(`${folder}/`, "") } as const;
  return line === undefined ? shown : { ...shown, line: Number(line), ...readLine(folder, short, Number(line)) };
}

function toPath(file: string): string {
  return file.startsWith("file:") ? fileURLToPath(file) : decodePath(file);
}

/** Node writes the path of a URL without its protocol for a file in a syntax error. */
function decodePath(file: string): string {
  try {
    return decodeURIComponent(file);
  } catch {
    return file;
  }
}

/** The text of a line; nothing where it cannot be read. */
export function readLine(folder: string, file: string, line: number): { readonly code?: string } {
  try {
    const code = readFileSync(resolve(folder, file), "utf8").split(/\r?\n/)[line - 1]?.trim();
    return code === undefined || code === "" ? {} : { code };
  } catch {
    return {};
  }
}

/** The lines that `tsc --pretty false` prints: `src/posts.ts(3,5): error TS2322: …`. */
export function readTypeProblems(output: string, folder: string): FoundProblem[] {
  const located = output.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+: .+)$/gm);
  const general = output.matchAll(/^error (TS\d+: .+)$/gm);
  return [
    ...[...located].map(([, file = "", line = "", message = ""]): FoundProblem => {
      return { kind: "types", file, line: Number(line), message, ...readLine(folder, file, Number(line)) };
    }),
    ...[...general].map(([, message = ""]): FoundProblem => ({ kind: "types", message })),
  ];
}
