import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { endsWithin } from "@tenon/core/internal";

/** Milliseconds between two sends: what is added meanwhile is sent together. */
const pause = 3;
/** Milliseconds that a stop waits for the last send. */
const lastSend = 1000;

/** Sends messages of this process to the others: one send at a time, the first at once. */
export class Notifier {
  readonly #send: (messages: ReadonlyMap<string, ReadonlySet<string>>) => Promise<unknown>;
  /** By channel. */
  #waiting = new Map<string, Set<string>>();
  #sending: Promise<void> | undefined;
  #isOpen = true;
  /** A send carries messages of many requests: traces must not count it for one of them. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(send: (messages: ReadonlyMap<string, ReadonlySet<string>>) => Promise<unknown>) {
    this.#send = send;
  }

  /** Adds a message. The same text twice in one send is one message. */
  add(channel: string, text: string): void {
    if (!this.#isOpen) return;
    const texts = this.#waiting.get(channel) ?? new Set();
    this.#waiting.set(channel, texts.add(text));
    this.#sending ??= this.#outside(() => this.#sendAll());
  }

  /** Sends what waits, and nothing after it. */
  async close(): Promise<void> {
    this.#isOpen = false;
    if (this.#sending !== undefined) await endsWithin(this.#sending, lastSend);
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const messages = this.#waiting;
      this.#waiting = new Map();
      await this.#send(messages).catch(() => {}); // listeners also look by themselves
      await sleep(pause);
    }
    this.#sending = undefined;
  }
}
