import type { Asked, Batch, EventStore } from "./event-store.ts";
import { formatPosition, type Position } from "./position.ts";

/** Topics of one read of the store, and events of it: more topics get fewer events each. */
const maxTopics = 1000;
const maxEvents = 1000;
const maxEventsOfTopic = 200;

interface Waiting extends PromiseWithResolvers<Batch> {
  readonly asked: Asked;
}

/**
 * The reads of a process: one of the store at a time, for all topics that were asked for meanwhile. A read of its own for
 * each would take all connections that requests share with them. A read that has begun may be older than a subscription,
 * so that one gets the next.
 */
export class TopicReads {
  readonly #store: EventStore;
  readonly #waiting = new Map<string, Waiting>();
  #isReading = false;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Events after a position; without one only the position of the newest event. */
  read(topic: string, after?: Position): Promise<Batch> {
    const key = `${after && formatPosition(after)} ${topic}`;
    const waiting = this.#waiting.get(key) ?? { asked: { topic, after }, ...Promise.withResolvers<Batch>() };
    this.#waiting.set(key, waiting);
    if (!this.#isReading) void this.#readAll();
    return waiting.promise;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, maxTopics);
      for (const [key] of some) this.#waiting.delete(key);
      const asked = some.map(([, waiting]) => waiting.asked);
      const limit = Math.min(maxEventsOfTopic, Math.ceil(maxEvents / some.length));
      try {
        const batches = await this.#store.read(asked, limit);
        for (const [index, [, { resolve }]] of some.entries()) resolve(batches[index] as Batch); // one for each
      } catch (error) {
        for (const [, { reject }] of some) reject(error);
      }
    }
    this.#isReading = false;
  }
}
