import { Clock } from "@tenon/core";
import { type Asked, type Batch, type EventStore, newSecret, type Wake } from "./event-store.ts";
import { LiveEvent } from "./live-event.ts";

export interface BufferLimits {
  /** Events that are kept for each topic. */
  readonly events: number;
  /** Seconds for which they are kept. */
  readonly seconds: number;
}

interface StoredEvent {
  readonly event: LiveEvent;
  readonly at: number;
}

interface Buffer {
  last: number;
  events: StoredEvent[];
}

const maxTopics = 10_000;
/** The characters of all topics together. Beyond it, the least recently published topics lose their events. */
const maxCharacters = 64 * 1024 * 1024;

/** Events of this process. */
export class MemoryStore implements EventStore {
  readonly reach = "process";
  readonly joinsTransactions = false;
  readonly secret: string = newSecret();
  readonly #limits: BufferLimits;
  readonly #clock: Clock;
  /** The topic that was published to last comes last. */
  readonly #topics = new Map<string, Buffer>();
  readonly #epoch: number;
  #characters = 0;
  #wake: Wake = () => {};

  constructor(limits: BufferLimits, clock: Clock = new Clock()) {
    this.#limits = limits;
    this.#clock = clock;
    this.#epoch = clock.now();
  }

  async open(): Promise<void> {}

  listen(wake: Wake): void {
    this.#wake = wake;
  }

  async close(): Promise<void> {
    this.#topics.clear();
  }

  async append(topic: string, name: string, text: string): Promise<void> {
    this.add(topic, name, text);
  }

  /** The same, synchronously. */
  add(topic: string, name: string, text: string): void {
    const buffer = this.#topics.get(topic) ?? { last: this.#firstNumber(), events: [] };
    this.#topics.delete(topic);
    this.#topics.set(topic, buffer);
    buffer.last++;
    const event = new LiveEvent(topic, name, text, { epoch: this.#epoch, number: buffer.last });
    buffer.events.push({ event, at: this.#clock.now() });
    this.#forgetOld(buffer);
    this.#characters += text.length;
    this.#makeRoom();
    this.#wake(topic);
  }

  async read(asked: readonly Asked[], limit: number): Promise<Batch[]> {
    return asked.map((one) => this.#read(one, limit));
  }

  #read({ topic, after }: Asked, limit: number): Batch {
    const buffer = this.#topics.get(topic);
    const last = { epoch: this.#epoch, number: buffer?.last ?? 0 };
    if (after === undefined) return { events: [], last, hasGap: false };
    if (buffer !== undefined) this.#forgetOld(buffer);
    const oldest = last.number - (buffer?.events.length ?? 0);
    const isKnown = after.epoch === this.#epoch && after.number >= oldest && after.number <= last.number;
    if (!isKnown) return { events: [], last, hasGap: true };
    const start = after.number - oldest;
    const events = (buffer?.events ?? []).slice(start, start + limit).map(({ event }) => event);
    return { events, last, hasGap: false };
  }

  /** A topic that was forgotten must not give out its numbers a second time. */
  #firstNumber(): number {
    return this.#topics.size < maxTopics ? 0 : this.#clock.now() - this.#epoch;
  }

  #forgetOld({ events }: Buffer): void {
    const oldest = this.#clock.now() - this.#limits.seconds * 1000;
    const expired = events.findIndex(({ at }) => at >= oldest);
    const surplus = Math.max(expired < 0 ? events.length : expired, events.length - this.#limits.events);
    if (surplus > 0) this.#drop(events, surplus);
  }

  #makeRoom(): void {
    for (const [topic, { events }] of this.#topics) {
      if (this.#characters > maxCharacters) this.#drop(events, Math.ceil(events.length / 2));
      if (this.#topics.size <= maxTopics && this.#characters <= maxCharacters) return;
      if (this.#topics.size <= maxTopics) continue;
      this.#drop(events, events.length);
      this.#topics.delete(topic);
    }
  }

  #drop(events: StoredEvent[], count: number): void {
    for (const { event } of events.splice(0, count)) this.#characters -= event.text.length;
  }
}
