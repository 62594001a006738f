import { constants } from "node:os";
import type { Log } from "./log.ts";

const signals = ["SIGTERM", "SIGINT"] as const;

/** The first signal stops the application and then ends the process; a second one ends it at once. */
export function stopOnSignals(stop: () => Promise<void>, log: Log): () => void {
  let stopping = false;
  const onSignal = (signal: (typeof signals)[number]) => {
    if (stopping) process.exit(128 + constants.signals[signal]);
    stopping = true;
    log.info(`${signal}: stopping`);
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "the stop failed");
        process.exit(1);
      },
    );
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    // during a stop the second signal must still find its listener
    if (!stopping) for (const signal of signals) process.off(signal, onSignal);
  };
}
