import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { ProbeTimes } from "../fixtures/prober.ts";

export interface ProberOptions {
  readonly path: string;
  /** Milliseconds between two requests. */
  readonly every: number;
}

/** Measures how fast a service responds to one polite client, from a thread of its own. */
export class Prober {
  readonly #worker: Worker;

  constructor(url: string, options: ProberOptions) {
    const workerData = { port: Number(new URL(url).port), ...options };
    this.#worker = new Worker(new URL("../fixtures/prober.ts", import.meta.url), { workerData });
  }

  /** The times since the last call, sorted. */
  async read(question: "read" | "end" = "read"): Promise<ProbeTimes> {
    const reply = once(this.#worker, "message");
    this.#worker.postMessage(question);
    const [times] = (await reply) as [ProbeTimes]; // the thread's own protocol
    return times.toSorted((a, b) => a - b);
  }

  /** The times of so many milliseconds, after a while to warm up. */
  async measure(milliseconds: number): Promise<ProbeTimes> {
    await sleep(500);
    await this.read();
    await sleep(milliseconds);
    return this.read();
  }

  async end(): Promise<void> {
    await this.read("end");
    await this.#worker.terminate();
  }
}
