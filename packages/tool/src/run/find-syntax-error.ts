import { globSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Place } from "@tenon/devtools/internal";

const mostFiles = 2000;

/**
 * The first place in an application's files that is not valid code. For the errors of the engine, such as a name that is
 * declared twice: in a module they do not tell their place. Files that were changed last come first.
 */
export function findSyntaxError(folder: string): Place | undefined {
  // only for this case: loaded at each start, the parser would delay it
  const { parse } = createRequire(import.meta.url)("@babel/parser") as typeof import("@babel/parser"); // its own types
  const files = globSync("**/*.{ts,mts,js,mjs}", {
    cwd: folder,
    exclude: (name) => /^(?:node_modules|\..+)$/.test(name),
  });
  const dated = files
    .slice(0, mostFiles)
    .map((name) => join(folder, name))
    .map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  for (const { file } of dated.sort((one, other) => other.time - one.time)) {
    try {
      parse(readFileSync(file, "utf8"), {
        sourceType: "module",
        plugins: ["typescript", "explicitResourceManagement"],
      });
    } catch (error) {
      const place = placeIn(error);
      if (place !== undefined) return { file, ...place };
    }
  }
  return undefined;
}

/** Undefined when the file could not be read. */
function placeIn(error: unknown): { line: number; column: number } | undefined {
  if (!(error instanceof SyntaxError) || !("loc" in error)) return undefined;
  const { line, column } = error.loc as { line: number; column: number }; // of every error of the parser
  return { line, column: column + 1 };
}
