import { lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Also a link that leads nowhere: what is written there would land somewhere else. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or below a file
  }
}

/** Writes each file and tells of it. A file that has appeared since it was looked for is not overwritten. */
export function* createFiles(folder: string, files: ReadonlyMap<string, string>, shown = ""): Generator<string> {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: "wx" });
    yield `created  ${shown}${path}\n`;
  }
}
