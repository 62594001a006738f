import { dirname, resolve } from "node:path";
import { readLines } from "@tenon/devtools/internal";

const mostFiles = 2000;

/** The shortest chain of imports from a file back to itself, with the file at both ends; undefined where there is none. */
export function findImportCycle(start: string): readonly string[] | undefined {
  const paths = new Map<string, readonly string[]>([[start, [start]]]); // grows while it is read
  for (const [file, path] of paths) {
    for (const next of importsOf(file)) {
      if (next === start) return [...path, start];
      if (!paths.has(next) && paths.size < mostFiles) paths.set(next, [...path, next]);
    }
  }
  return undefined;
}

/** The own files that a file imports. Imports of types are gone when it runs. */
function importsOf(file: string): string[] {
  const source = readLines(file).join("\n");
  const imports = source.matchAll(/^\s*(?:import|export)\b(?!\s+type\b)[^"';]*["'](\.[^"']+)["']/gm);
  return [...imports].map(([, path = ""]) => resolve(dirname(file), path));
}
