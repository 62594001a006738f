import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/core/test/support/random.ts";
import { type OpenFeed, openSocket, openStream } from "./feed-connections.ts";
import type { FeedRecord } from "./feed-record.ts";

export interface FeedClientOptions {
  readonly kind: "stream" | "socket";
  /** The instances; each connection is to one of them. */
  readonly urls: readonly string[];
  readonly random: Random;
  readonly record: FeedRecord;
  /** The longest time that a connection lasts, in milliseconds. Defaults to no limit. */
  readonly stay?: number;
  /** The longest time between two connections, in milliseconds. */
  readonly away: number;
}

/** Milliseconds before a client tries again that was refused. */
const retryPause = 100;

/** Disconnects and reconnects at random, to any instance, and continues after the last event that it got. */
export class FeedClient {
  readonly record: FeedRecord;
  connections = 0;
  /** Statuses of refused connections. */
  readonly refusals: number[] = [];
  readonly #options: FeedClientOptions;
  readonly #open: OpenFeed;
  readonly #ended: Promise<void>;
  readonly #leaving = new AbortController();
  #isSettled = false;

  constructor(options: FeedClientOptions) {
    this.#options = options;
    this.record = options.record;
    this.#open = options.kind === "stream" ? openStream : openSocket;
    this.#ended = this.#run();
  }

  /** From its next connection on it stays. */
  settle(): void {
    this.#isSettled = true;
  }

  async stop(): Promise<void> {
    this.#leaving.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const { urls, random, record, stay, away } = this.#options;
      this.connections++;
      let timer: NodeJS.Timeout | undefined;
      const leaveLater = () => {
        if (!this.#isSettled && stay !== undefined) timer ??= setTimeout(connection.leave, random.below(stay));
      };
      const connection = this.#open(random.pick(urls), record.id, (message) => {
        record.take(message);
        leaveLater();
      });
      if (random.below(4) === 0) leaveLater(); // perhaps before the response
      signal.addEventListener("abort", connection.leave);
      const status = await connection.ended;
      signal.removeEventListener("abort", connection.leave);
      clearTimeout(timer);
      if (status !== undefined) this.refusals.push(status);
      const pause = status === undefined && !this.#isSettled ? random.below(away) : retryPause;
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }
}
