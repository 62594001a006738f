import { setTimeout as sleep } from "node:timers/promises";
import type { TimedReply } from "./caller.ts";

/** One request and its response. */
export interface Sample {
  /** When it was sent, by `performance.now()`. */
  readonly asked: number;
  /** 0 when there was no response. */
  readonly status: number;
  readonly text: string;
  readonly time: number;
}

/** Sends requests at a steady rate, whether or not responses arrive. */
export class SteadyLoad {
  readonly samples: Sample[] = [];
  readonly #ask: () => Promise<TimedReply>;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(perSecond: number, ask: () => Promise<TimedReply>) {
    this.#ask = ask;
    this.#timer = setInterval(() => {
      const one = this.#one().finally(() => this.#open.delete(one));
      this.#open.add(one);
    }, 1000 / perSecond);
  }

  /** Waits until ten responses in a row succeed, for at most 2.5 s. */
  async isSteady(): Promise<void> {
    const since = this.samples.length;
    const deadline = performance.now() + 2500;
    const isFine = () =>
      this.samples.length >= since + 10 && this.samples.slice(-10).every(({ status }) => status < 400);
    while (performance.now() < deadline && !isFine()) await sleep(20);
  }

  async stop(): Promise<readonly Sample[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    return this.samples;
  }

  async #one(): Promise<void> {
    const asked = performance.now();
    try {
      const { status, text, time } = await this.#ask();
      this.samples.push({ asked, status, text, time });
    } catch (error) {
      this.samples.push({ asked, status: 0, text: String(error), time: performance.now() - asked });
    }
  }
}
