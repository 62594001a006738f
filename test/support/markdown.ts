import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run.ts";

export interface Block {
  /** The path of its document, from the root of the workspace. */
  readonly document: string;
  readonly line: number;
  /** The text after the fence: `ts`, `ts no-check`, `console`. */
  readonly info: string;
  readonly code: string;
}

/** README.md first, then the files of docs/ and the READMEs of the packages. */
export function readDocuments(): { document: string; text: string }[] {
  const others = globSync(["docs/**/*.md", "packages/*/README.md"], { cwd: root, exclude: ["docs/api/**"] }).sort();
  return ["README.md", ...others].map((document) => ({
    document,
    text: readFileSync(join(root, document), "utf8"),
  }));
}

/** The fenced blocks of every document, in order. */
export function readBlocks(): Block[] {
  return readDocuments().flatMap(({ document, text }) =>
    [...text.matchAll(/^```([^\n`]*)\n(.*?)^```\s*$/gms)].map(({ index, 1: info = "", 2: code = "" }) => ({
      document,
      line: text.slice(0, index).split("\n").length,
      info: info.trim(),
      code,
    })),
  );
}
