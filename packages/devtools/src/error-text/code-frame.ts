import { readFileSync, statSync } from "node:fs";
import type { Place } from "./stack-frame.ts";

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

const largestFile = 1024 * 1024;

/** The lines of a place and `around` it; undefined when they cannot be read. */
export function readExcerpt({ file, line }: Place, around: number): SourceExcerpt | undefined {
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

/** Empty when the file cannot be read, because a report must not fail. A pipe or a device would be read without an end. */
export function readLines(file: string): string[] {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= largestFile ? readFileSync(file, "utf8").split(/\r?\n/) : [];
  } catch {
    return [];
  }
}

/** Lines with their numbers, the place marked by `>`, and its column by `^` below. */
export function toCodeFrame({ lines }: SourceExcerpt, column?: number): string {
  const width = String(lines.at(-1)?.number).length;
  const rows = lines.flatMap(({ number, text, isHit }) => {
    const row = `${isHit ? ">" : " "} ${String(number).padStart(width)} | ${text}`.trimEnd();
    if (!isHit || column === undefined) return [row];
    const before = text.slice(0, column - 1).replaceAll(/[^\t]/g, " "); // tabs are kept, so that the mark is below its character
    return [row, `  ${" ".repeat(width)} | ${before}^`];
  });
  return rows.join("\n");
}
