import type { Lease, Returned } from "@tenon/core";
import type { LiveEvent } from "./channels/live-event.ts";
import type { Sink, Subscriber } from "./channels/subscriber.ts";
import { type Closing, closings, type LiveConnection, type LiveConnections } from "./connections.ts";
import { InvalidMessage, type Messages, type OutgoingMessages } from "./messages.ts";
import { TopicList } from "./topic-list.ts";

export interface StreamOptions {
  readonly messages: OutgoingMessages;
  readonly connections: LiveConnections;
  readonly leases: readonly Lease[];
  readonly lastEventId: string;
  readonly pendingBytes: number;
  /** For log lines: `GET /live/posts`. */
  readonly route: string;
}

export interface SendOptions {
  /** Sent back by a client that reconnects, as `stream.lastEventId`. Topics set it themselves. */
  readonly id?: string;
}

/** A block of an event stream. */
export function toBlock(name: string, json: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`;
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
  readonly #options: StreamOptions;
  readonly #topics: TopicList;
  #waiting: string[] = [];
  #bytes = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  /** Called when the client has read what waits. */
  readonly #onRead: (() => void)[] = [];

  constructor(options: StreamOptions) {
    this.#options = options;
    this.lastEventId = options.lastEventId;
    this.leases = options.leases;
    this.#topics = new TopicList(options.lastEventId, {
      whenRoom: (characters) => this.#whenRoom(characters),
      onPosition: (id) => this.#push(`id: ${id}\n\n`), // without data: sets the id, and the page gets no event
      onEvent: (event, id) => this.#pushEvent(event, id),
      onReset: (topic, id) => this.#push(`id: ${id}\nevent: reset\ndata: ${JSON.stringify({ topic })}\n\n`),
    });
    this.#push(`retry: ${options.connections.settings.retry}\n\n`);
  }

  /** Sends an event. Throws InvalidMessage when the data does not match its schema. */
  send<Name extends keyof Sends & string>(name: Name, data: Returned<Sends[Name]>, { id }: SendOptions = {}): void {
    try {
      if (id !== undefined && /[\n\r\0]/.test(id)) throw new InvalidMessage("an id has no line breaks and no U+0000");
      this.#push(this.#options.messages.encode(name, data, id));
    } catch (error) {
      if (error instanceof InvalidMessage) this.#options.connections.count("unsentMessages");
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
    if (this.#waiting.length === 0) this.#push(":\n\n");
  }

  check(): void {}

  end(closing: Closing): void {
    if (closing === closings.stopping) this.#end("");
    else this.close(closing.reason);
  }

  /** Everything that waits, in one piece. */
  async next(): Promise<IteratorResult<string>> {
    while (this.#waiting.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#waiting.join("");
    this.#waiting = [];
    this.#bytes = 0;
    this.#noteRead();
    return value === "" ? { done: true, value: undefined } : { done: false, value };
  }

  /** The client has disconnected, or the response is not sent. */
  async return(): Promise<IteratorResult<string>> {
    this.#waiting = [];
    this.#end("");
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Half of what may wait is for the buffer of a topic: the rest is for new events. */
  #whenRoom(characters: number): Promise<void> | undefined {
    const fits = this.#bytes === 0 || this.#bytes + characters <= this.#options.pendingBytes / 2;
    if (fits || this.#isEnded) return undefined;
    return new Promise((resolve) => this.#onRead.push(resolve));
  }

  #noteRead(): void {
    for (const resolve of this.#onRead.splice(0)) resolve();
  }

  #pushEvent(event: LiveEvent, id: string): void {
    const { messages, connections, route } = this.#options;
    const text = messages.encodeEvent(event, id, (error) => connections.reportUnsent(route, event.topic, error));
    if (text !== undefined) this.#push(text);
  }

  #push(text: string): void {
    if (this.#isEnded) return;
    if (this.#bytes > 0 && this.#bytes + text.length > this.#options.pendingBytes) {
      this.#options.connections.count("slowClients");
      this.#waiting = [];
      this.close(closings.slow.reason);
      return;
    }
    this.#bytes += text.length;
    this.#waiting.push(text);
    this.#wake?.();
  }

  #end(last: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (last !== "") this.#waiting.push(last);
    this.#topics.close();
    this.#options.connections.remove(this);
    this.#wake?.();
    this.#noteRead();
  }
}
