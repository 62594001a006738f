import type { LiveEvent } from "./channels/live-event.ts";
import { formatId, type Position, parseId, tagOf } from "./channels/position.ts";
import type { Sink, Subscriber } from "./channels/subscriber.ts";

/** What a connection sends waits here until its client reads it. */
export interface Outbox<Wire> {
  push(wire: Wire): void;
  /** See `Sink`. */
  whenRoom(characters: number): Promise<void> | undefined;
}

/** How the connections of a route write what their topics deliver. `id` is where the client would continue. */
export interface TopicFormat<Wire> {
  position(id: string): Wire;
  /** Undefined when the event is not sent. */
  event(event: LiveEvent, id: string): Wire | undefined;
  reset(topic: string, id: string): Wire;
  /** A function that was given to `onClose()` has failed. */
  reportFailedClose(error: unknown): void;
}

const maxTopics = 50;
/** No store has such a position: a client that continues there gets a `reset`. */
const lost: Position = { epoch: 0, number: 1 };

/**
 * The topics of one connection. The id that its client sends back after a reconnect has a position for each of them:
 * `1764000000000-17.1q9xz0a,1764000000000-4.8m2k1c`.
 */
export class TopicList<Wire> implements Subscriber {
  readonly outbox: Outbox<Wire>;
  readonly format: TopicFormat<Wire>;
  /** The parts of the id that the client has sent whose topics have not been subscribed to yet; undefined for none. */
  #unclaimed: readonly string[] | undefined;
  /** Whether the id has parts that cannot be read. */
  readonly #hasUnknown: boolean;
  // arrays begin with their first element: an empty one gets room for 17 with it, in each of many connections
  #sinks: TopicSink<Wire>[] | undefined;
  #endings: (() => void)[] | undefined;
  #isClosed = false;

  constructor(lastEventId: string, outbox: Outbox<Wire>, format: TopicFormat<Wire>) {
    this.outbox = outbox;
    this.format = format;
    const parts = lastEventId === "" ? [] : lastEventId.split(",", maxTopics);
    const known = parts.filter((part) => parseId(part) !== undefined);
    this.#hasUnknown = known.length < parts.length;
    if (known.length > 0) this.#unclaimed = known;
  }

  join(topic: string): Sink {
    if (this.#sinks !== undefined && this.#sinks.length >= maxTopics) {
      throw new RangeError(`a connection subscribes to at most ${maxTopics} topics`);
    }
    const sink = new TopicSink(topic, this, this.#claim(topic));
    if (this.#sinks === undefined) this.#sinks = [sink];
    else this.#sinks.push(sink);
    return sink;
  }

  leave(sink: TopicSink<Wire>): void {
    if (!this.#isClosed) this.#sinks = this.#sinks?.filter((one) => one !== sink);
  }

  /**
   * Where the client was in a topic. A topic that is not in its id may be one whose position cannot be read, so that
   * the client may have missed events.
   */
  #claim(topic: string): TopicSink<Wire>["from"] {
    if (this.#unclaimed === undefined) return this.#hasUnknown ? "unknown" : undefined;
    const tag = tagOf(topic);
    const index = this.#unclaimed.findIndex((id) => parseId(id)?.tag === tag);
    if (index < 0) return "unknown";
    const { position } = parseId(this.#unclaimed[index] ?? "") ?? {};
    this.#unclaimed = this.#unclaimed.length === 1 ? undefined : this.#unclaimed.toSpliced(index, 1);
    return position;
  }

  onClose(end: () => void): void {
    if (this.#isClosed) this.#run(end);
    else if (this.#endings === undefined) this.#endings = [end];
    else this.#endings.push(end);
  }

  close(): void {
    this.#isClosed = true;
    const endings = this.#endings;
    this.#endings = undefined;
    for (const end of endings ?? []) this.#run(end);
  }

  /** One that fails must not keep the connection from its end, nor the others from theirs. */
  #run(end: () => unknown): void {
    Promise.try(end).catch((error: unknown) => this.format.reportFailedClose(error));
  }

  /** The id of the connection after a topic has moved on to `id`. */
  idAfter(id: string): string {
    if (this.#unclaimed === undefined && this.#sinks?.length === 1) return id;
    const ids = (this.#sinks ?? []).flatMap((sink) => (sink.id === "" ? [] : [sink.id]));
    // a client that loses this connection before it has subscribed to all of its topics continues in the others too
    return [...ids, ...(this.#unclaimed ?? [])].slice(0, maxTopics).join(",");
  }
}

/** One topic of a connection. */
class TopicSink<Wire> implements Sink {
  readonly from: Position | "unknown" | undefined;
  /** Where the client would continue; "" for a new one before the subscription has begun. */
  id: string;
  readonly #topic: string;
  readonly #list: TopicList<Wire>;

  constructor(topic: string, list: TopicList<Wire>, from: Position | "unknown" | undefined) {
    this.from = from;
    // events of other topics may be sent first: their ids must not forget this one
    this.id = from === undefined ? "" : formatId(topic, from === "unknown" ? lost : from);
    this.#topic = topic;
    this.#list = list;
  }

  begin(position: Position): void {
    const { outbox, format } = this.#list;
    outbox.push(format.position(this.#moveTo(formatId(this.#topic, position))));
  }

  deliver(event: LiveEvent): void {
    const { outbox, format } = this.#list;
    const wire = format.event(event, this.#moveTo(event.id));
    if (wire !== undefined) outbox.push(wire);
  }

  whenRoom(characters: number): Promise<void> | undefined {
    return this.#list.outbox.whenRoom(characters);
  }

  reset(position: Position): void {
    const { outbox, format } = this.#list;
    outbox.push(format.reset(this.#topic, this.#moveTo(formatId(this.#topic, position))));
  }

  leave(): void {
    this.#list.leave(this);
  }

  #moveTo(id: string): string {
    this.id = id;
    return this.#list.idAfter(id);
  }
}
