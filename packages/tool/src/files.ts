import { lstatSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HttpError } from "@tenon/core";

/** True for a dangling symbolic link too: a file written to it would be created at the link's target. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOTDIR") return false; // below a file
    throw error;
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, or below a file
  }
}

/** The package.json of a folder, with any values; undefined where it is missing or not a JSON object. */
export function readManifest(folder: string): { readonly [name: string]: unknown } | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof manifest === "object" && manifest !== null ? { ...manifest } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes a file that is generated again and again. The file stays untouched when its text is the same, so that watchers
 * and builds do not run; one that `isGenerated` does not recognize was written by hand and is not overwritten.
 */
export function writeGenerated(
  path: string,
  text: string,
  isGenerated: (text: string) => boolean,
  name: string,
): "created" | "changed" | "unchanged" {
  const before = readIfPresent(path, name);
  if (before === text) return "unchanged";
  if (before !== undefined && !isGenerated(before)) {
    throw new HttpError(409, `${name} exists already and was not generated: nothing was changed`);
  }
  if (!isFolder(dirname(path))) throw new HttpError(404, `there is no folder ${dirname(path)} for ${name}`);
  writeFileSync(path, text);
  return before === undefined ? "created" : "changed";
}

function readIfPresent(path: string, name: string): string | undefined {
  if (isFolder(path)) throw new HttpError(409, `${name} is a folder: nothing was changed`);
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(path, "utf8");
}
