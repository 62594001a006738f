import type { LiveEvent } from "./channels/live-event.ts";
import type { LiveConnections } from "./connections.ts";
import type { InvalidMessage, OutgoingMessages } from "./messages.ts";
import type { TopicFormat } from "./topic-list.ts";

/** Writes what topics deliver, for all connections of a route. */
export class EventFormat<Wire> implements TopicFormat<Wire> {
  readonly position: (id: string) => Wire;
  readonly #messages: OutgoingMessages<Wire>;
  readonly #connections: LiveConnections;
  readonly #route: string;

  /** `route` is for log lines: `GET /live/posts`. */
  constructor(
    messages: OutgoingMessages<Wire>,
    connections: LiveConnections,
    route: string,
    position: (id: string) => Wire,
  ) {
    this.#messages = messages;
    this.#connections = connections;
    this.#route = route;
    this.position = position;
  }

  event(event: LiveEvent, id: string): Wire | undefined {
    return this.#messages.encodeEvent(event, id, this.#onInvalid);
  }

  reset(topic: string, id: string): Wire {
    return this.#messages.write("reset", JSON.stringify({ topic }), id);
  }

  reportFailedClose(error: unknown): void {
    this.#connections.log.error({ err: error }, `${this.#route}: a function given to onClose() has failed`);
  }

  readonly #onInvalid = ({ topic }: LiveEvent, error: InvalidMessage): void =>
    this.#connections.reportUnsent(this.#route, topic, error);
}
