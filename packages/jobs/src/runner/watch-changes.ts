import type { JobStore } from "../store/job-store.ts";
import { SqliteWatch } from "./sqlite-watch.ts";

/**
 * Notices that a job may start, enqueued here or in another process: by messages, and on SQLite by its log file. Returns
 * the function that ends it.
 */
export function watchChanges(store: JobStore, onChange: () => void): () => void {
  const stopListening = store.onReady(onChange);
  const { database } = store;
  const watch = database.kind === "sqlite" ? new SqliteWatch(database, onChange) : undefined;
  void watch?.start();
  return () => {
    stopListening();
    watch?.stop();
  };
}
