import { randomInt } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { HttpError, type Log } from "@tenon/core";
import type { Lease } from "@tenon/core/internal";
import type { LiveEvent } from "./live-event.ts";
import { hasReached, type Position } from "./position.ts";
import type { StaleTopics } from "./stale-topics.ts";
import type { Sink, Subscriber, Subscription } from "./subscriber.ts";
import type { TopicReads } from "./topic-reads.ts";

/** Characters that are delivered before connections get their turn to send: more of them at once would have to wait. */
const charactersInTurn = 16 * 1024;

/** A topic that this process has subscribers of. Reads new events from the store once, for all of them. */
export class Topic {
  readonly name: string;
  readonly #reads: TopicReads;
  readonly #log: Log;
  readonly #stale: StaleTopics;
  readonly #onEmpty: (topic: Topic) => void;
  readonly #subscriptions = new Set<TopicSubscription>();
  /** The position of the last delivered event; undefined before the first subscriber. */
  #position: Position | undefined;
  #isPulling = false;
  #pullAgain = false;
  #isStale = false;
  /** Subscriptions that still have to read the buffer, and failed to. */
  readonly #stuck = new Set<TopicSubscription>();

  /** `onEmpty` is called when the last subscriber has left. */
  constructor(name: string, reads: TopicReads, log: Log, stale: StaleTopics, onEmpty: (topic: Topic) => void) {
    this.name = name;
    this.#reads = reads;
    this.#log = log;
    this.#stale = stale;
    this.#onEmpty = onEmpty;
  }

  get count(): number {
    return this.#subscriptions.size;
  }

  /** Rejects with a 503 when the store is unavailable. */
  async subscribe(subscriber: Subscriber, lease?: Lease): Promise<Subscription> {
    const sink = subscriber.join(this.name, lease);
    const subscription = new TopicSubscription(this, sink);
    this.#subscriptions.add(subscription);
    subscriber.onClose?.(() => subscription.close());
    try {
      const { last } = await this.#reads.read(this.name).catch(refuse);
      this.#position ??= last;
      if (sink.from === "unknown" || isAfter(sink.from, last)) subscription.skipTo(last);
      else subscription.begin(sink.from ?? last);
      await this.#catchUp(subscription).catch(refuse);
      this.pull(); // what was published while the position was read
    } catch (error) {
      subscription.close();
      throw error;
    }
    return subscription;
  }

  reportFailed(error: unknown, event: string): void {
    this.#log.error({ err: error, topic: this.name, event }, "a subscriber has failed");
  }

  /** For a subscription that was closed. */
  remove(subscription: TopicSubscription): void {
    this.#subscriptions.delete(subscription);
    this.#stuck.delete(subscription);
    if (this.count === 0) this.#onEmpty(this);
  }

  /** Delivers what is new, one event after the other and each once. */
  pull(): void {
    this.#pullAgain = true;
    if (!this.#isPulling) void this.#pullAll();
  }

  async #pullAll(): Promise<void> {
    this.#isPulling = true;
    try {
      while (this.#pullAgain && this.#subscriptions.size > 0) {
        this.#pullAgain = false;
        for (const subscription of this.#stuck) {
          await this.#catchUp(subscription);
          this.#stuck.delete(subscription);
        }
        if (this.#position !== undefined) await this.#pullFrom(this.#position);
      }
      this.#isStale = false;
      this.#stale.remove(this);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isPulling = false; // in the step in which the loop ends: a wake-up after it begins a new one
    }
  }

  /** The store does not respond. */
  #fail(error: unknown): void {
    if (!this.#isStale) {
      const text = "events could not be read: they follow when the store responds";
      this.#log.warn({ err: error, topic: this.name }, text);
    }
    this.#isStale = true;
    this.#stale.add(this);
  }

  async #pullFrom(position: Position): Promise<void> {
    const { events, last, hasGap } = await this.#reads.read(this.name, position);
    if (hasGap) {
      this.#position = last;
      for (const subscription of this.#subscriptions) {
        if (subscription.isBehind) continue;
        if (hasReached(position, subscription.position)) subscription.skipTo(last);
        else this.#startAgain(subscription); // it began later, and need not have a gap
      }
      return;
    }
    let characters = 0;
    for (const event of events) {
      this.#position = event.position;
      for (const subscription of this.#subscriptions) subscription.deliver(event);
      event.forget();
      characters += event.text.length;
      if (characters < charactersInTurn) continue;
      characters = 0;
      await turn();
    }
    if (events.length > 0 && !hasReached(this.#position ?? position, last)) this.#pullAgain = true;
  }

  /**
   * Reads for one subscriber what the others have, until it is where they are. Waits only for the first events: the
   * response begins with them, and the others follow as fast as the client reads.
   */
  async #catchUp(subscription: TopicSubscription): Promise<void> {
    for (let isFirst = true; !subscription.isClosed && this.#position !== undefined; isFirst = false) {
      if (hasReached(subscription.position, this.#position)) break;
      if (!isFirst) {
        void this.#continueAfter(Promise.resolve(), subscription);
        return;
      }
      const { events, last, hasGap } = await this.#reads.read(this.name, subscription.position);
      if (hasGap) subscription.skipTo(last);
      else if (events.length === 0) break;
      for (const event of events) {
        const room = subscription.whenRoom(event);
        if (room !== undefined) {
          void this.#continueAfter(room, subscription);
          return;
        }
        subscription.deliver(event, true);
      }
    }
    subscription.isBehind = false;
  }

  #startAgain(subscription: TopicSubscription): void {
    subscription.isBehind = true;
    void this.#continueAfter(Promise.resolve(), subscription);
  }

  async #continueAfter(room: Promise<void>, subscription: TopicSubscription): Promise<void> {
    await room;
    try {
      await this.#catchUp(subscription);
      if (!subscription.isBehind) this.pull(); // what was published meanwhile
    } catch (error) {
      if (!subscription.isClosed) this.#stuck.add(subscription);
      this.#fail(error);
    }
  }
}

/** The store is unavailable. Clients come back after a random time, so that they do not come back together. */
function refuse(cause: unknown): never {
  throw new HttpError(503, "Service Unavailable", { headers: { "retry-after": String(randomInt(2, 11)) }, cause });
}

/** Whether a client got more than the store has: then the store has lost events, and will use their numbers again. */
function isAfter(position: Position | undefined, last: Position): boolean {
  return position !== undefined && position.epoch === last.epoch && position.number > last.number;
}

class TopicSubscription implements Subscription {
  /** It reads older events itself: those of the topic are not for it yet. */
  isBehind = true;
  isClosed = false;
  readonly #sink: Sink;
  readonly #topic: Topic;
  #position: Position | undefined;

  constructor(topic: Topic, sink: Sink) {
    this.#topic = topic;
    this.#sink = sink;
  }

  get topic(): string {
    return this.#topic.name;
  }

  get position(): Position {
    return this.#position ?? { epoch: 0, number: 0 };
  }

  whenRoom({ text }: LiveEvent): Promise<void> | undefined {
    return this.isClosed ? undefined : this.#sink.whenRoom?.(Buffer.byteLength(text));
  }

  begin(position: Position): void {
    this.#position = position;
    if (!this.isClosed) this.#sink.begin?.(position);
  }

  deliver(event: LiveEvent, isOwn = false): void {
    if (this.isClosed || this.#position === undefined || (this.isBehind && !isOwn)) return;
    if (hasReached(this.#position, event.position)) return;
    this.#position = event.position;
    try {
      this.#sink.deliver(event);
    } catch (error) {
      this.#topic.reportFailed(error, event.name); // it would keep the event from the other subscribers
      this.skipTo(event.position);
    }
  }

  /** Events up to this position are lost for it. */
  skipTo(position: Position): void {
    this.#position = position;
    if (this.isClosed) return;
    try {
      this.#sink.reset?.(position);
    } catch (error) {
      this.#topic.reportFailed(error, "reset");
      this.close();
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#topic.remove(this);
    this.#sink.leave?.();
  }
}
