import { resolve } from "node:path";
import { type FoundProblem, readCode, readHint } from "../run/problem.ts";

/** The lines that `tsc --pretty false` prints: `src/posts.ts(3,5): error TS2322: …`, with its details indented below. */
export function readTypeProblems(output: string, folder: string): FoundProblem[] {
  const located = output.matchAll(/^(.+?)\((\d+),(\d+)\): error (TS\d+: .+(?:\r?\n +.+)*)$/gm);
  const general = output.matchAll(/^error (TS\d+: .+)$/gm);
  return [
    ...[...located].map(([, file = "", line = "", column = "", text = ""]): FoundProblem => {
      const code = readCode({ file: resolve(folder, file), line: Number(line), column: Number(column) });
      return { kind: "types", file, line: Number(line), message: shorten(text), ...code, ...readHint(text, code) };
    }),
    ...[...general].map(([, message = ""]): FoundProblem => ({ kind: "types", message })),
  ];
}

const longestType = 300; // characters: the first line of such an error may name two types of 1,000 each

/** The error and the last two of its details, which name the property that differs. */
function shorten(text: string): string {
  const [first = "", ...details] = text.split(/\r?\n/);
  if (details.length === 0) return first;
  const head = first.length > longestType ? `${first.slice(0, longestType)}…` : first;
  return [head, ...details.slice(-2).map((line) => `    ${line.trim()}`)].join("\n");
}
