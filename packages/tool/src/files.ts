import { lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** True for a dangling symbolic link too: a file written to it would be created at the link's target. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, or below a file
  }
}

/** Writes the files and yields a line for each. A file that was created after the check for it is not overwritten. */
export function* createFiles(folder: string, files: ReadonlyMap<string, string>, prefix = ""): Generator<string> {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: "wx" });
    yield `created  ${prefix}${path}\n`;
  }
}
