import type { LiveEvent } from "./channels/live-event.ts";
import { formatPosition, type Position, parsePosition } from "./channels/position.ts";
import type { Sink, Subscriber } from "./channels/subscriber.ts";

/** What a connection does with the events of its topics. `id` is where the client would continue. */
export interface TopicTarget {
  whenRoom(characters: number): Promise<void> | undefined;
  onPosition(id: string): void;
  onEvent(event: LiveEvent, id: string): void;
  onReset(topic: string, id: string): void;
}

const maxTopics = 50;

/**
 * The topics of one connection. The id that its client sends back after a reconnect has a position for each of them, in
 * the order in which they were subscribed to: `1764000000000-17,1764000000000-4`.
 */
export class TopicList implements Subscriber {
  readonly #target: TopicTarget;
  readonly #known: readonly string[];
  readonly #positions: (Position | undefined)[] = [];
  readonly #endings: (() => void)[] = [];
  #isClosed = false;

  constructor(lastEventId: string, target: TopicTarget) {
    this.#target = target;
    this.#known = lastEventId === "" ? [] : lastEventId.split(",", maxTopics);
  }

  join(topic: string): Sink {
    const index = this.#positions.push(undefined) - 1;
    if (index >= maxTopics) throw new RangeError(`a connection subscribes to at most ${maxTopics} topics`);
    const known = this.#known[index] ?? "";
    return {
      from: known === "" ? undefined : (parsePosition(known) ?? "unknown"),
      whenRoom: (characters) => this.#target.whenRoom(characters),
      begin: (position) => this.#target.onPosition(this.#moveTo(index, position)),
      deliver: (event) => this.#target.onEvent(event, this.#moveTo(index, event.position, event.id)),
      reset: (position) => this.#target.onReset(topic, this.#moveTo(index, position)),
    };
  }

  onClose(end: () => void): void {
    if (this.#isClosed) end();
    else this.#endings.push(end);
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#endings.splice(0)) end();
  }

  #moveTo(index: number, position: Position, id?: string): string {
    this.#positions[index] = position;
    if (this.#positions.length === 1) return id ?? formatPosition(position);
    return this.#positions.map((one) => (one === undefined ? "" : formatPosition(one))).join(",");
  }
}
