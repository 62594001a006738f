import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { inject } from "@tenon/core";
import { Config } from "../config.ts";

/** Copies the SQLite file consistently while other processes write to it. */
export class Backup {
  readonly #url = inject(Config).databaseUrl;

  /** Returns the size of the copy in bytes. Never overwrites a file. */
  async write(file: string): Promise<number> {
    const source = this.#file();
    const target = resolve(file);
    if (exists(target)) throw alreadyExists(target);
    // the copy gets its name when it is complete, so that a partial one is never mistaken for it
    const draft = `${target}.${randomUUID()}.part`;
    createDraft(draft, target);
    try {
      await copy(source, draft);
      checkIntegrity(draft);
      sync(draft);
      linkSync(draft, target);
    } catch (error) {
      throw codeOf(error) === "EEXIST" ? alreadyExists(target) : error;
    } finally {
      for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(draft + suffix, { force: true });
    }
    sync(dirname(target)); // persists the name too
    return statSync(target).size;
  }

  #file(): string {
    if (!this.#url.startsWith("sqlite:")) {
      throw new Error("the database is PostgreSQL: use pg_dump, which copies it while others write");
    }
    const path = this.#url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
    if (path === ":memory:") throw new Error("the database is in memory: there is no file to copy");
    return path;
  }
}

/** Readable by its owner only, since it holds personal data. */
function createDraft(draft: string, target: string): void {
  try {
    closeSync(openSync(draft, "wx", 0o600));
  } catch (error) {
    const folder = dirname(target);
    if (!exists(folder)) throw new Error(`the folder ${folder} does not exist: create it, or give another path`);
    const reason = error instanceof Error ? error.message.replace(draft, target) : String(error);
    throw new Error(`cannot write the backup: ${reason}`, { cause: error });
  }
}

async function copy(source: string, target: string): Promise<void> {
  const database = new DatabaseSync(source, { timeout: 5000 });
  try {
    // all pages in one step: in several, each write of another process would restart the copy
    await backup(database, target, { rate: 2 ** 31 - 1 });
  } finally {
    database.close();
  }
}

function checkIntegrity(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma journal_mode = delete"); // a single file, without a log beside it
    const found = database.prepare("pragma integrity_check").get()?.integrity_check;
    if (found !== "ok") throw new Error(`the copy is corrupt: ${String(found)}`);
  } finally {
    database.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function alreadyExists(path: string): Error {
  return new Error(`${path} already exists: give another name, or move it away`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
