import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder with a hash of its content, so that two of them show whether something was written. */
export function takeSnapshot(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path, index) => (entries[index]?.isFile() ? `${path} ${hash(path)}` : path))
    .sort();
}

function hash(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
