import { type Dirent, type FSWatcher, readdirSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";
import { HttpError } from "@tenon/core";
import { isFolder } from "../files.ts";

/** What the application writes itself, or what is built from its source. Only at the top: `src/data` is source. */
const ignoredAtTop = new Set(["data", "dist", "build", "coverage", "test", "tests"]);
/**
 * Code, settings, views and assets. npm writes package-lock.json last: only then can an application start that imports
 * a new package. A list, because uploads, logs and databases would restart the application for ever.
 */
const watched =
  /\.(?:[cm]?[jt]sx?|json|sql|ya?ml|toml|eta|ejs|hbs|njk|pug|liquid|mustache|html?|md|css|svg|txt|webmanifest)$/i;
const unwatched = /\.test\.[cm]?[jt]sx?$|^\.(?!env(?:\.|$))|~$/;

/** Whether the application must restart when this file changes. The path is relative to its folder. */
export function isWatchedFile(path: string): boolean {
  const [name = "", ...folders] = path.split(sep).reverse();
  if (!isWatchedFolder(folders.toReversed())) return false;
  if (unwatched.test(name)) return false;
  return name === ".env" || name.startsWith(".env.") || watched.test(name);
}

function isWatchedFolder(names: readonly string[]): boolean {
  const [top = ""] = names;
  return !ignoredAtTop.has(top) && !names.some((name) => name === "node_modules" || name.startsWith("."));
}

/**
 * Watches the folder of an application. One watcher for each folder: the recursive watch of node:fs would also walk
 * through node_modules, and takes one watcher for each file on Linux.
 */
export class Changes {
  readonly #root: string;
  readonly #onChange: (file: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();

  /** `onChange` gets the path relative to the folder, once or several times for one change. */
  constructor(root: string, onChange: (file: string) => void) {
    this.#root = root;
    this.#onChange = onChange;
    try {
      this.#add("");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches a folder and those below it. Returns the watched files in them. */
  #add(folder: string): string[] {
    if (this.#watchers.has(folder)) return [];
    // before it is listed: a file that is created in between is then seen twice rather than missed
    this.#watch(folder);
    return readFolder(join(this.#root, folder)).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return isWatchedFolder(path.split(sep)) ? this.#add(path) : [];
      return isWatchedFile(path) ? [path] : [];
    });
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(join(this.#root, folder), (event, name) => {
        if (name !== null) this.#changed(join(folder, name), event === "rename");
      });
      watcher.on("error", () => this.#remove(folder)); // the folder was deleted
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return; // deleted since it was listed
      throw toWatchError(error, join(this.#root, folder));
    }
  }

  #changed(path: string, mayBeFolder: boolean): void {
    if (isWatchedFile(path)) this.#onChange(path);
    if (!mayBeFolder || !isWatchedFolder(path.split(sep))) return;
    this.#remove(path); // a folder of this name may be another one than before
    if (!isFolder(join(this.#root, path))) return;
    try {
      for (const file of this.#add(path)) this.#onChange(file); // a folder that was moved here
    } catch {
      this.#remove(path); // no watches are left: the folders that are watched stay so
    }
  }

  #remove(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && relative(folder, path).startsWith("..")) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}

function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // deleted since, or not readable
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function toWatchError(error: unknown, folder: string): HttpError {
  const cures = new Map<unknown, string>([
    ["ENOSPC", "the system allows no more watches: raise fs.inotify.max_user_watches"],
    ["EMFILE", "too many files are open: raise fs.inotify.max_user_instances, or ulimit -n"],
  ]);
  const reason = cures.get(codeOf(error)) ?? (error instanceof Error ? error.message : String(error));
  return new HttpError(500, `${folder} cannot be watched: ${reason}`);
}
