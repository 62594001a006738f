import { setTimeout as sleep } from "node:timers/promises";
import type { TimedReply } from "./caller.ts";

export interface Answer {
  /** When, by the clock of `performance`. */
  readonly asked: number;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly text: string;
  readonly time: number;
}

/** Asks at a steady rate, whether or not the answers come. */
export class SteadyLoad {
  readonly answers: Answer[] = [];
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

  /** Waits until all is well again, or has had the time for it. */
  async isSteady(): Promise<void> {
    const since = this.answers.length;
    const deadline = performance.now() + 2500;
    const isFine = () =>
      this.answers.length >= since + 10 && this.answers.slice(-10).every(({ status }) => status < 400);
    while (performance.now() < deadline && !isFine()) await sleep(20);
  }

  async stop(): Promise<readonly Answer[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    return this.answers;
  }

  async #one(): Promise<void> {
    const asked = performance.now();
    try {
      const { status, text, time } = await this.#ask();
      this.answers.push({ asked, status, text, time });
    } catch (error) {
      this.answers.push({ asked, status: 0, text: String(error), time: performance.now() - asked });
    }
  }
}
