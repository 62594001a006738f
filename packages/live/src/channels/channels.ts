import { inject, Log, type OnStart, type OnStop, token } from "@tenon/core";
import { describeStores, type Lease, trace } from "@tenon/core/internal";
import { type AnyDatabase, afterCommit, storeGuarantees } from "@tenon/data";
import { LiveSettings } from "../settings.ts";
import { eventTracing, type TracedEvent } from "../tracing.ts";
import type { EventStore } from "./event-store.ts";
import type { LiveEvent } from "./live-event.ts";
import { StaleTopics } from "./stale-topics.ts";
import type { Subscriber, Subscription } from "./subscriber.ts";
import { Topic } from "./topic.ts";
import { TopicReads } from "./topic-reads.ts";

export const EventStoreToken = token<EventStore>("EventStore");

export interface PublishOptions {
  /** The event is published when this transaction commits, or not at all. */
  readonly transaction?: AnyDatabase;
}

const longestName = 200;
/** Topics of which an event was lost: those beyond it get no `reset`. */
const maxLost = 10_000;

/** Publishes events to the subscribers of a topic, in this process and in every other that shares its store. */
export class Channels implements OnStart, OnStop {
  readonly #store = inject(EventStoreToken);
  readonly #pollInterval = inject(LiveSettings).pollInterval;
  readonly #log = inject(Log);
  readonly #topics = new Map<string, Topic>();
  readonly #reads = new TopicReads(this.#store);
  readonly #stale = new StaleTopics();
  /** Topics of which an event was lost after its commit, until the store responds again. */
  readonly #lost = new Set<string>();
  readonly #resets = { pull: () => void this.#skipLost() };
  #isListening = false;
  #timer: NodeJS.Timeout | undefined;

  /** Who gets what is published here: subscribers in this process, in the workers of this machine, or in all instances. */
  get reach(): EventStore["reach"] {
    return this.#store.reach;
  }

  [describeStores](): Readonly<Record<"channels", { guarantee: string }>> {
    const shared = this.#store.joinsTransactions ? "postgres" : "redis";
    return { channels: { guarantee: storeGuarantees.channels[this.reach === "instances" ? shared : "memory"] } };
  }

  /** Resolves when the event is stored. `data` is JSON. */
  async publish(topic: string, event: string, data: unknown, { transaction }: PublishOptions = {}): Promise<void> {
    checkName("topic", topic);
    checkName("event", event);
    const text = JSON.stringify(data ?? null);
    if (text === undefined) throw new TypeError(`publish("${topic}", "${event}"): a ${typeof data} has no JSON form`);
    if (transaction?.isTransaction === false) {
      throw new TypeError("publish(): `transaction` is not one. Pass what db.transaction().execute() gives.");
    }
    if (transaction === undefined || this.#store.joinsTransactions) {
      await this.#append(topic, event, text, transaction);
    } else await afterCommit(transaction, () => this.#appendLate(topic, event, text));
  }

  #append(topic: string, event: string, text: string, transaction?: AnyDatabase): Promise<void> {
    if (!eventTracing.hasSubscribers) return this.#store.append(topic, event, text, transaction);
    const payload: TracedEvent = { topic, event, subscribers: this.count(topic) };
    return trace(eventTracing, payload, () => this.#store.append(topic, event, text, transaction));
  }

  /**
   * Passes the events of a topic to an event stream, a socket or a function, in their order and each at most once. A
   * stream or socket whose client was connected before continues after the last event that it got. Rejects with a 503
   * when the store is unavailable. A lease, such as that of a policy, is checked until the topic is left, and ends the
   * connection.
   */
  subscribe(topic: string, target: Subscriber, lease?: Lease): Promise<Subscription>;
  subscribe(topic: string, target: (event: LiveEvent) => void): Promise<Subscription>;
  async subscribe(
    topic: string,
    target: Subscriber | ((event: LiveEvent) => void),
    lease?: Lease,
  ): Promise<Subscription> {
    checkName("topic", topic);
    if (!this.#isListening) this.#store.listen(this.#wake);
    this.#isListening = true;
    const known = this.#topics.get(topic) ?? new Topic(topic, this.#reads, this.#log, this.#stale, this.#forget);
    const subscribing = known.subscribe(typeof target === "function" ? toSubscriber(target, known) : target, lease);
    if (known.count > 0) this.#topics.set(topic, known); // not when it is refused, or has left already
    return subscribing;
  }

  /** A topic has no more subscribers. */
  readonly #forget = (topic: Topic): void => {
    if (this.#topics.get(topic.name) === topic) this.#topics.delete(topic.name);
  };

  /** After a commit: an error could not undo it. */
  async #appendLate(topic: string, event: string, text: string): Promise<void> {
    try {
      await this.#append(topic, event, text);
    } catch (error) {
      this.#log.error({ err: error, topic, event }, "an event of a committed transaction could not be published");
      if (this.#store.skip === undefined || this.#lost.size >= maxLost) return;
      this.#lost.add(topic);
      this.#stale.add(this.#resets);
    }
  }

  async #skipLost(): Promise<void> {
    for (const topic of this.#lost) {
      this.#lost.delete(topic); // first: another event of it may be lost meanwhile
      try {
        await this.#store.skip?.(topic);
      } catch {
        this.#lost.add(topic);
        this.#stale.add(this.#resets);
        return;
      }
    }
    this.#stale.remove(this.#resets);
  }

  /** The subscribers of a topic in this process. */
  count(topic: string): number {
    return this.#topics.get(topic)?.count ?? 0;
  }

  /** The topics that have subscribers in this process, by name. */
  topics(): { readonly topic: string; readonly subscribers: number }[] {
    const list = [...this.#topics].map(([topic, { count }]) => ({ topic, subscribers: count }));
    return list.sort((one, other) => one.topic.localeCompare(other.topic));
  }

  readonly #wake = (topic?: string): void => {
    if (topic === undefined) for (const one of this.#topics.values()) one.pull();
    else this.#topics.get(topic)?.pull();
  };

  async onStart(): Promise<void> {
    await this.#store.open();
    if (this.#store.reach === "process") return;
    this.#timer = setInterval(() => {
      for (const topic of this.#topics.values()) topic.pull();
    }, this.#pollInterval).unref();
  }

  async onStop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stale.close();
    await this.#store.close();
  }
}

/** A function that fails was called all the same: it gets the next event. */
function toSubscriber(target: (event: LiveEvent) => void, topic: Topic): Subscriber {
  const deliver = (event: LiveEvent) =>
    void Promise.try(target, event).catch((error: unknown) => topic.reportFailed(error, event.name));
  return { join: () => ({ deliver }) };
}

function checkName(kind: string, name: unknown): void {
  const isName = typeof name === "string" && name !== "" && name.length <= longestName && !/[\p{Cc}]/u.test(name);
  if (!isName) throw new TypeError(`a ${kind} has a name of 1 to ${longestName} characters, not ${String(name)}`);
}
