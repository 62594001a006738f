import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { HttpError } from "@tenon/core";
import { exists } from "../../files.ts";

/** One file that a command creates or changes. */
export interface Change {
  /** Relative to the folder of the application. */
  readonly path: string;
  /** The text that was read to compute the change; undefined for a file that must not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** What the line that reports the change says after the path. */
  readonly note?: string;
}

/** A change of a file, or the lines to add by hand where the file is not clear enough to edit. */
export type Wiring = Change | { readonly byHand: string };

interface Staged {
  readonly change: Change;
  readonly target: string;
  /** The new text, next to the target, so that a rename does not cross file systems. */
  readonly temporary: string;
}

/** Makes all changes, or none: every text is written under a temporary name before the first file gets its own. */
export function applyChanges(folder: string, changes: readonly Change[]): void {
  const undo: (() => void)[] = [];
  const backups: string[] = [];
  let current = "";
  try {
    const staged = changes.map((change) => {
      current = change.path;
      return stage(folder, change, undo);
    });
    for (const one of staged) {
      current = one.change.path;
      backups.push(...commit(one, undo));
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    if (error instanceof HttpError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpError(500, `${current} could not be written: ${reason}: nothing was changed`);
  }
  for (const backup of backups) rmSync(backup, { force: true });
}

/** Creates files and edits others, all or none. Returns a line for each change, and then what is to be added by hand. */
export function write(folder: string, created: ReadonlyMap<string, string>, wiring: readonly Wiring[]): string[] {
  const changes = [
    ...[...created].map(([path, after]): Change => ({ path, before: undefined, after })),
    ...wiring.filter((one) => "path" in one),
  ];
  applyChanges(folder, changes);
  return [
    ...changes.map((change) => describeChange(change)),
    ...wiring.flatMap((one) => ("byHand" in one ? one.byHand : [])),
  ];
}

/** `created  src/posts/posts.module.ts` */
export function describeChange({ path, before, note }: Change, prefix = ""): string {
  const verb = before === undefined ? "created" : "changed";
  return `${verb}  ${prefix}${path}${note === undefined ? "" : `: ${note}`}\n`;
}

function stage(folder: string, change: Change, undo: (() => void)[]): Staged {
  const path = join(folder, change.path);
  if (change.before === undefined && exists(path)) {
    throw new HttpError(409, `${change.path} exists already: nothing was changed`);
  }
  const target = change.before === undefined ? path : realpathSync(path); // a rename would replace a symbolic link
  createFolder(dirname(target), undo);
  const temporary = toTemporary(target);
  undo.push(() => rmSync(temporary, { force: true }));
  const mode = change.before === undefined ? undefined : statSync(target).mode;
  writeFileSync(temporary, change.after, { flag: "wx", mode: mode ?? 0o666 });
  if (mode !== undefined) chmodSync(temporary, mode); // the umask has narrowed it
  return { change, target, temporary };
}

/** Puts one file in its place and returns the backup to remove at the end. */
function commit({ change, target, temporary }: Staged, undo: (() => void)[]): string[] {
  const { path, before } = change;
  if (before === undefined ? exists(target) : readFileSync(target, "utf8") !== before) {
    throw new HttpError(409, `${path} was changed by another program: nothing was changed`);
  }
  const backup = toTemporary(target);
  if (before !== undefined) {
    renameSync(target, backup);
    undo.push(() => renameSync(backup, target));
  }
  renameSync(temporary, target);
  undo.push(() => rmSync(target));
  return before === undefined ? [] : [backup];
}

function toTemporary(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Not with the option `recursive`, which never returns where no folder can be created, such as in /proc. */
function createFolder(path: string, undo: (() => void)[]): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  createFolder(dirname(path), undo);
  mkdirSync(path);
  undo.push(() => rmdirSync(path));
}
