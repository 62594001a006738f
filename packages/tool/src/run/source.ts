import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";

interface Written {
  readonly file?: string;
  readonly line?: number;
}

/** `src/posts/posts.controller.ts:12`, relative to the folder for files inside it; undefined where it is unknown. */
export function toSource({ file, line }: Written, folder: string): string | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? toShortPath(file, folder) : `${toShortPath(file, folder)}:${line}`;
}

/** Node resolves symbolic links, so that the folder is compared by its real path. */
export function toShortPath(file: string, folder: string): string {
  const path = relative(toRealPath(folder), file);
  return path.startsWith("..") || isAbsolute(path) ? file : path.replaceAll("\\", "/");
}

function toRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
