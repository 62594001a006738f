import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "@tenon/core";
import type { JobStore, Outcome } from "../store/job-store.ts";
import { Alarm } from "./alarm.ts";

interface Entry {
  readonly outcome: Outcome;
  readonly written: (isHeld: boolean) => void;
}

/** Outcomes of one statement, and characters of their results and errors. */
const largestBatch = 500;
const largestText = 4 * 1024 * 1024;
/** Milliseconds between attempts to write: the first, and the longest. */
const pauses = { first: 50, longest: 1000 } as const;

/**
 * Writes how jobs ended. Those that end together are one statement; nothing is dropped while the store is unavailable.
 * Of outcomes that cannot be written together, each half is tried; one that cannot be written alone lets the others pass.
 */
export class Outbox {
  readonly #store: JobStore;
  readonly #log: Log;
  readonly #waiting: Entry[] = [];
  readonly #alarm = new Alarm();
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(store: JobStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Resolves when it is written. False when the job was not held any more, or the outbox was closed first. */
  add(outcome: Outcome): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push({ outcome, written: resolve });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return promise;
  }

  /** Drops what cannot be written: another process starts these jobs again when their leases end. */
  close(): void {
    this.#closed = true;
    this.#alarm.wake();
  }

  async #write(): Promise<void> {
    let pause: number = pauses.first;
    let most = largestBatch;
    let isReported = false;
    await nextTurn(); // others may end in the same turn of the event loop
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, Math.min(most, this.#countFitting()));
      try {
        const held = await this.#store.finish(batch.map(({ outcome }) => outcome));
        this.#waiting.splice(0, batch.length);
        for (const { outcome, written } of batch) written(held.has(outcome.id));
        pause = pauses.first;
        most = Math.min(2 * most, largestBatch);
      } catch (error) {
        if (!isReported) this.#log.warn({ err: error }, "the ends of jobs cannot be written: trying again");
        isReported = true;
        if (this.#closed) {
          for (const { written } of this.#waiting.splice(0)) written(false);
          return;
        }
        if (batch.length === 1) this.#waiting.push(...this.#waiting.splice(0, 1));
        most = Math.ceil(batch.length / 2);
        await this.#alarm.sleep(pause);
        pause = Math.min(2 * pause, pauses.longest);
      }
    }
  }

  /** How many outcomes one statement takes, at least one: a text of hundreds of megabytes cannot be sent. */
  #countFitting(): number {
    let length = 0;
    const index = this.#waiting.findIndex(({ outcome: { result, error } }) => {
      length += (result?.length ?? 0) + (error?.length ?? 0);
      return length > largestText;
    });
    return index === -1 ? this.#waiting.length : Math.max(1, index);
  }
}
