// The thread on which SqliteCheckpoints copies the write-ahead log of a file into the file.
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { CheckpointMessage, CheckpointReport } from "./sqlite-checkpoints.ts";

/** Writers append during a pass, so each pass has less to copy than the one before. */
const maxPasses = 3;

const url = pathToFileURL(workerData as string); // the path that SqliteCheckpoints passes
url.searchParams.set("mode", "rw"); // a deleted file must not be created again
let database: DatabaseSync | undefined;

/** Passive: waits for no lock, and blocks no writer or reader. */
function checkpoint(): CheckpointReport {
  database ??= new DatabaseSync(url);
  const passive = database.prepare("pragma wal_checkpoint(passive)");
  let pages = 0;
  for (let pass = 0; pass < maxPasses; pass++) {
    const { log, checkpointed } = passive.get() ?? {};
    // as many pages as the last pass has copied: nothing was appended meanwhile, and the next write restarts the log
    if (log === pages && log === checkpointed) return { pages, complete: true };
    pages = Number(log);
  }
  return { pages, complete: false };
}

parentPort?.on("message", (message: CheckpointMessage) => {
  if (message === "close") {
    database?.close();
    parentPort?.close();
    return;
  }
  let report: CheckpointReport = { pages: 0, complete: false };
  try {
    report = checkpoint();
  } catch {
    // a full disk, for example: the log keeps what was written, and the next checkpoint tries again
  }
  parentPort?.postMessage(report);
});
