import { constants } from "node:os";
import { endsWithin } from "@tenon/server/internal";
import { readEnvironment } from "../config/environment.ts";
import type { Log } from "../log/log.ts";

const signals = ["SIGTERM", "SIGINT"] as const;

type Signal = (typeof signals)[number];

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
  const stoppingLevel = readEnvironment().dev === undefined ? "info" : "debug"; // `tenon dev` reports each restart itself
  const onSignal = (signal: Signal) => {
    if (stopping) process.exit(exitCodeOf(signal));
    stopping = true;
    log[stoppingLevel](`${signal}: stopping`);
    stop(signal).then(
      () => process.exit(exitCode(signal)),
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

/** Milliseconds for which running requests may end after a crash. */
const crashTimeout = 3000;

/**
 * Logs an uncaught exception or unhandled rejection, stops the application so that running requests can end, and ends the
 * process with 1. An application that listens to `uncaughtException` itself decides itself.
 */
export function stopOnCrash(stop: () => Promise<void>, log: Log): () => void {
  if (process.listenerCount("uncaughtException") > 0) return () => {};
  let stopping = false;
  const onCrash = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    const what = origin === "unhandledRejection" ? "unhandled rejection" : "uncaught exception";
    log.fatal({ err: error }, stopping ? `${what} during the stop` : `${what}: stopping`);
    if (stopping) return;
    stopping = true;
    endsWithin(stop(), crashTimeout)
      .catch((cause: unknown) => log.error({ err: cause }, "the stop failed"))
      .finally(() => process.exit(1));
  };
  process.on("uncaughtException", onCrash);
  return () => {
    if (!stopping) process.off("uncaughtException", onCrash);
  };
}
