import type { Context, Lease, Returned } from "@tenon/core";
import { leasesOf } from "@tenon/core/platform";
import type { Sink, Subscriber } from "./channels/subscriber.ts";
import { type Closing, closings, type LiveConnection, type LiveConnections } from "./connections.ts";
import { lastEventIdOf } from "./last-event-id.ts";
import { InvalidMessage, type Messages, type OutgoingMessages } from "./messages.ts";
import { StreamOutbox } from "./stream-outbox.ts";
import { type TopicFormat, TopicList } from "./topic-list.ts";

/** What the streams of a route have in common. */
export interface StreamRoute {
  readonly messages: OutgoingMessages;
  readonly connections: LiveConnections;
  readonly format: TopicFormat<string>;
  readonly pendingBytes: number;
}

export interface SendOptions {
  /** Sent back by a client that reconnects, as `stream.lastEventId`. Topics set it themselves. */
  readonly id?: string;
}

/** A block of an event stream. */
export function toBlock(name: string, json: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`;
}

/** Without data: sets the id, and the page gets no event. */
export function toPositionBlock(id: string): string {
  return `id: ${id}\n\n`;
}

/**
 * An open event stream: what its handler sends and what its topics deliver, until the client reads it. The bytes that
 * wait are limited: a client that reads too slowly is disconnected, and continues from the buffer of its topics.
 */
export class EventStream<Sends extends Messages = Messages>
  implements AsyncIterableIterator<string>, LiveConnection, Subscriber
{
  readonly kind = "stream";
  /** Of the last event that the client got on an earlier connection; "" for a new client. */
  readonly lastEventId: string;
  readonly leases: readonly Lease[];
  readonly #route: StreamRoute;
  readonly #outbox: StreamOutbox;
  readonly #topics: TopicList<string>;
  #isEnded = false;

  constructor(route: StreamRoute, ctx: Context) {
    this.#route = route;
    this.lastEventId = lastEventIdOf(ctx);
    this.leases = leasesOf(ctx);
    this.#outbox = new StreamOutbox(route.pendingBytes, this);
    this.#topics = new TopicList(this.lastEventId, this.#outbox, route.format);
    this.#outbox.push(`retry: ${route.connections.settings.retry}\n\n`);
  }

  /** Sends an event. Throws InvalidMessage when the data does not match its schema. */
  send<Name extends keyof Sends & string>(name: Name, data: Returned<Sends[Name]>, { id }: SendOptions = {}): void {
    try {
      if (id !== undefined && /[\n\r\0]/.test(id)) throw new InvalidMessage("an id has no line breaks and no U+0000");
      this.#outbox.push(this.#route.messages.encode(name, data, id));
    } catch (error) {
      if (error instanceof InvalidMessage) this.#route.connections.count("unsentMessages");
      throw error;
    }
  }

  /** Ends the stream. The client reconnects, unless the reason tells it not to. */
  close(reason = "closed by the server"): void {
    this.#end(`event: close\ndata: ${JSON.stringify({ reason })}\n\n`);
  }

  get isOpen(): boolean {
    return !this.#isEnded;
  }

  join(topic: string): Sink {
    return this.#topics.join(topic);
  }

  onClose(end: () => void): void {
    this.#topics.onClose(end);
  }

  beat(): void {
    if (this.#outbox.isEmpty) this.#outbox.push(":\n\n");
  }

  check(): void {}

  end(closing: Closing): void {
    if (closing === closings.slow) this.#route.connections.count("slowClients");
    if (closing === closings.stopping) this.#end("");
    else this.close(closing.reason);
  }

  /** Everything that waits, in one piece. */
  async next(): Promise<IteratorResult<string>> {
    const value = await this.#outbox.take();
    return value === "" ? { done: true, value: undefined } : { done: false, value };
  }

  /** The client has disconnected, or the response is not sent. */
  async return(): Promise<IteratorResult<string>> {
    this.#outbox.clear();
    this.#end("");
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(last: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#topics.close();
    this.#route.connections.remove(this);
    this.#outbox.end(last);
  }
}
