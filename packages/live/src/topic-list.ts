import type { LiveEvent } from "./channels/live-event.ts";
import { formatPosition, type Position, parsePosition } from "./channels/position.ts";
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

/**
 * The topics of one connection. The id that its client sends back after a reconnect has a position for each of them, in
 * the order in which they were subscribed to: `1764000000000-17,1764000000000-4`.
 */
export class TopicList<Wire> implements Subscriber {
  readonly outbox: Outbox<Wire>;
  readonly format: TopicFormat<Wire>;
  readonly #known: readonly string[] | undefined;
  // arrays begin with their first element: an empty one gets room for 17 with it, in each of many connections
  #positions: (Position | undefined)[] | undefined;
  #endings: (() => void)[] | undefined;
  #isClosed = false;

  constructor(lastEventId: string, outbox: Outbox<Wire>, format: TopicFormat<Wire>) {
    this.outbox = outbox;
    this.format = format;
    this.#known = lastEventId === "" ? undefined : lastEventId.split(",", maxTopics);
  }

  join(topic: string): Sink {
    if (this.#positions === undefined) this.#positions = [undefined];
    else this.#positions.push(undefined);
    const index = this.#positions.length - 1;
    if (index >= maxTopics) throw new RangeError(`a connection subscribes to at most ${maxTopics} topics`);
    return new TopicSink(topic, this, index, this.#known?.[index]);
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

  /** Returns the id after a topic has moved on. */
  moveTo(index: number, position: Position, id?: string): string {
    const positions = this.#positions ?? [];
    positions[index] = position;
    if (positions.length === 1) return id ?? formatPosition(position);
    return positions.map((one) => (one === undefined ? "" : formatPosition(one))).join(",");
  }
}

/** One topic of a connection. */
class TopicSink<Wire> implements Sink {
  readonly from: Position | "unknown" | undefined;
  readonly #topic: string;
  readonly #list: TopicList<Wire>;
  readonly #index: number;

  constructor(topic: string, list: TopicList<Wire>, index: number, known = "") {
    this.from = known === "" ? undefined : (parsePosition(known) ?? "unknown");
    this.#topic = topic;
    this.#list = list;
    this.#index = index;
  }

  begin(position: Position): void {
    const { outbox, format } = this.#list;
    outbox.push(format.position(this.#list.moveTo(this.#index, position)));
  }

  deliver(event: LiveEvent): void {
    const { outbox, format } = this.#list;
    const wire = format.event(event, this.#list.moveTo(this.#index, event.position, event.id));
    if (wire !== undefined) outbox.push(wire);
  }

  whenRoom(characters: number): Promise<void> | undefined {
    return this.#list.outbox.whenRoom(characters);
  }

  reset(position: Position): void {
    const { outbox, format } = this.#list;
    outbox.push(format.reset(this.#topic, this.#list.moveTo(this.#index, position)));
  }
}
