import type { Lease } from "@tenon/core/internal";
import type { LiveEvent } from "./live-event.ts";
import type { Position } from "./position.ts";

/** Gets the events of topics: an event stream, a socket, or a function. */
export interface Subscriber {
  /** Called once for each topic that it subscribes to. A lease ends the subscriber, unless the topic is left before. */
  join(topic: string, lease?: Lease): Sink;
  /** Calls the function when the subscriber is gone; at once when it already is. */
  onClose?(end: () => void): void;
}

/** Gets the events of one topic. */
export interface Sink {
  /** Where it was before the connection was lost. `unknown` is a position that cannot be read. */
  readonly from?: Position | "unknown" | undefined;
  /**
   * For events of the buffer, which the store has faster than a client reads: undefined when so many bytes fit, else
   * resolves when the client has read more.
   */
  whenRoom?(bytes: number): Promise<void> | undefined;
  /** From this position on no event is missed. */
  begin?(position: Position): void;
  deliver(event: LiveEvent): void;
  /** Events up to this position were missed and cannot be delivered any more. */
  reset?(position: Position): void;
  /** The subscription was closed. */
  leave?(): void;
}

export interface Subscription {
  readonly topic: string;
  /** No event is delivered after it. */
  close(): void;
}
