import { constants } from "node:os";
import type { Log } from "../log/log.ts";

const signals = ["SIGTERM", "SIGINT"] as const;

type Signal = (typeof signals)[number];

/**
 * What the primary sends to its workers in the place of a signal: a terminal sends its signals to all of them, and a
 * second one would end a worker at once.
 */
export const stopMessage = "tenon: stop";

/** The exit code that shells report for a process ended by a signal. */
export function exitCodeOf(signal: Signal): number {
  return 128 + constants.signals[signal];
}

/** The first signal stops the application and then ends the process with `exitCode`; a second one ends it at once. */
export function stopOnSignals(
  stop: (signal: Signal) => Promise<void>,
  log: Log,
  exitCode: (signal: Signal) => number = () => 0,
): () => void {
  let stopping = false;
  const onSignal = (signal: Signal) => {
    if (stopping) process.exit(exitCodeOf(signal));
    stopping = true;
    log.info(`${signal}: stopping`);
    stop(signal).then(
      () => process.exit(exitCode(signal)),
      (error: unknown) => {
        log.error({ err: error }, "the stop failed");
        process.exit(1);
      },
    );
  };
  const onMessage = (message: unknown) => {
    if (message === stopMessage && !stopping) onSignal("SIGTERM");
  };
  for (const signal of signals) process.on(signal, onSignal);
  if (process.connected) process.on("message", onMessage);
  return () => {
    // during a stop the second signal must still find its listener
    if (!stopping) for (const signal of signals) process.off(signal, onSignal);
    process.off("message", onMessage);
  };
}
