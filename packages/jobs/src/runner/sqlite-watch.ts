import { type FSWatcher, watch } from "node:fs";
import type { Database } from "@tenon/data";
import { CompiledQuery } from "kysely";

/** Milliseconds between two looks at a file whose log cannot be watched, and at a database in memory. */
const pollInterval = 50;
/** The same beside a watch, in case it misses a change. */
const slowInterval = 500;
/** Milliseconds after a change in which others are not noticed one by one: a busy file changes thousands of times a second. */
const settleTime = 20;
/** Changes that a watch may miss before it counts as broken: some file systems report none. */
const toleratedMisses = 3;

const dataVersion = CompiledQuery.raw("pragma data_version") as CompiledQuery<{ data_version: number }>;
const databaseList = CompiledQuery.raw("pragma database_list") as CompiledQuery<{ file: string | null }>;

/**
 * Notices commits of other connections to an SQLite file. The system reports writes to its log; `pragma data_version`, a
 * number in the head of the log, says whether one was a commit. An idle process is not woken for polls.
 */
export class SqliteWatch {
  readonly #db: Database;
  readonly #onChange: () => void;
  #version: unknown;
  /** Undefined for a database in memory: it has one connection, and its version never changes. */
  #log: string | undefined;
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #misses = 0;
  #stopped = false;

  constructor(db: Database, onChange: () => void) {
    this.#db = db;
    this.#onChange = onChange;
  }

  async start(): Promise<void> {
    try {
      const { rows } = await this.#db.executeQuery(databaseList);
      const file = rows[0]?.file;
      this.#log = file ? `${file}-wal` : undefined;
    } catch {
      // the loop of the worker reports a store that is not available; polls notice when it is
    }
    if (this.#stopped) return;
    this.#arm();
    this.#pollEvery(this.#watcher === undefined ? pollInterval : slowInterval);
  }

  stop(): void {
    this.#stopped = true;
    this.#watcher?.close();
    clearTimeout(this.#settling);
    clearInterval(this.#poll);
  }

  #arm(): void {
    if (this.#log === undefined || this.#misses >= toleratedMisses) return;
    try {
      this.#watcher = watch(this.#log, () => this.#settle());
      this.#watcher.on("error", () => this.#giveUp());
    } catch {
      this.#giveUp();
    }
  }

  /** The watch is closed for a moment, so that a busy file does not call it for every write. */
  #settle(): void {
    if (this.#watcher === undefined || this.#stopped) return;
    this.#misses = 0;
    this.#watcher.close();
    this.#watcher = undefined;
    void this.#look();
    this.#lookAgain(settleTime);
  }

  /** A commit is visible only after the disk has confirmed it, which reports no write: further looks find it. */
  #lookAgain(pause: number): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(async () => {
      if (this.#watcher === undefined) this.#arm();
      const found = await this.#look();
      if (!found && !this.#stopped && pause < slowInterval) this.#lookAgain(2 * pause);
    }, pause);
  }

  #giveUp(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#misses = toleratedMisses;
    if (!this.#stopped) this.#pollEvery(pollInterval);
  }

  #pollEvery(milliseconds: number): void {
    clearInterval(this.#poll);
    this.#poll = setInterval(async () => {
      const wasWatching = this.#watcher !== undefined;
      if ((await this.#look()) && wasWatching && ++this.#misses >= toleratedMisses) this.#giveUp();
    }, milliseconds);
  }

  /** Returns whether another connection has committed since the last look. */
  async #look(): Promise<boolean> {
    let version: unknown;
    try {
      version = (await this.#db.executeQuery(dataVersion)).rows[0]?.data_version;
    } catch {
      return false; // as above
    }
    if (version === this.#version && this.#log !== undefined) return false;
    this.#version = version;
    if (!this.#stopped) this.#onChange();
    return true;
  }
}
