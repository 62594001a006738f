import type { JobStore } from "../store/job-store.ts";
import { SqliteWatch } from "./sqlite-watch.ts";

/** Notices that a job may start, enqueued here or in another process: by messages, and on SQLite by its log file. */
export class ChangeWatch {
  readonly #store: JobStore;
  readonly #onChange: () => void;
  #stopListening: (() => void) | undefined;
  #watch: SqliteWatch | undefined;

  constructor(store: JobStore, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  start(): void {
    this.#stopListening = this.#store.onReady(this.#onChange);
    const { database } = this.#store;
    if (database.kind !== "sqlite") return;
    this.#watch = new SqliteWatch(database, this.#onChange);
    void this.#watch.start();
  }

  stop(): void {
    this.#stopListening?.();
    this.#watch?.stop();
  }
}
