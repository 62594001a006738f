import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

/** What changes with a file, its times in milliseconds: no program can set `ctimeMs` back. */
type Stamp = Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">;

export interface Fingerprint extends Stamp {
  readonly text: string;
}

/** The length of a fingerprint in a name. */
export const fingerprintLength = 10;

/** A short hash of the content of each file below a folder, by path. */
export class Fingerprints {
  readonly #folder: string;
  readonly #development: boolean;
  #table: ReadonlyMap<string, Fingerprint>;

  /** `folder` is a real path with a trailing separator. In development files may change. */
  constructor(folder: string, development: boolean) {
    this.#folder = folder;
    this.#development = development;
    this.#table = readAll(folder, new Map());
  }

  names(): Iterable<string> {
    return this.#table.keys();
  }

  find(name: string): Fingerprint | undefined {
    const known = this.#table.get(name);
    if (!this.#development || (known !== undefined && isSame(known, findStamp(this.#folder, name)))) return known;
    this.#table = readAll(this.#folder, this.#table);
    return this.#table.get(name);
  }
}

export function isSame(one: Stamp, other: Stamp | undefined): boolean {
  if (one.size !== other?.size || one.mtimeMs !== other.mtimeMs) return false;
  return one.ctimeMs === other.ctimeMs && one.ino === other.ino; // a copied file may keep its old time
}

/** Unchanged files are not read again. */
function readAll(folder: string, known: ReadonlyMap<string, Fingerprint>): Map<string, Fingerprint> {
  const table = new Map<string, Fingerprint>();
  for (const name of listFiles(folder, "")) {
    const fingerprint = unlessMissing(() => readFingerprint(folder, name, known.get(name)));
    if (fingerprint !== undefined) table.set(name, fingerprint);
  }
  return table;
}

/** Linked directories are left out: a link to a parent would never end. */
function listFiles(folder: string, below: string): string[] {
  const entries = unlessMissing(() => readdirSync(join(folder, below), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    if (entry.name.startsWith(".") || entry.name.includes("\\")) return []; // those are not served
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? listFiles(folder, name) : [name];
  });
}

function readFingerprint(folder: string, name: string, known: Fingerprint | undefined): Fingerprint | undefined {
  const stamp = findStamp(folder, name); // before the content: a file that changes meanwhile is then read again
  if (stamp === undefined) return undefined;
  return known !== undefined && isSame(known, stamp) ? known : { ...stamp, text: digest(join(folder, name)) };
}

/** Undefined for what is not served: no regular file, missing, or a link out of the folder. */
function findStamp(folder: string, name: string): Stamp | undefined {
  return unlessMissing(() => {
    const real = realpathSync(join(folder, name));
    const stats = real.startsWith(folder) ? statSync(real) : undefined;
    if (stats?.isFile() !== true) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = stats;
    return { size, mtimeMs, ctimeMs, ino };
  });
}

const missing = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** In development a file may disappear at any moment, and links may be broken. */
function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (missing.has(String((error as NodeJS.ErrnoException).code))) return undefined; // of the file system
    throw error;
  }
}

/** In chunks: a large file need not fit into memory. */
function digest(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(64 * 1024);
  const file = openSync(path, "r");
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex").slice(0, fingerprintLength);
}
