import { randomInt } from "node:crypto";
import type { Context } from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
import { type Closing, closings } from "../connections.ts";
import type { LiveRoute } from "../live-route.ts";
import { InvalidMessage, type Messages, type Syntax } from "../messages.ts";
import { TopicConnection } from "../topic-connection.ts";
import { toShortWire, toWire, type Wire } from "../wire.ts";
import { StreamOutbox } from "./stream-outbox.ts";

export interface SendOptions {
  /** Sent back by a client that reconnects, as `stream.lastEventId`. Topics set it themselves. */
  readonly id?: string;
}

/** The blocks of an event stream. One without data sets the id, and the page gets no event. */
export const streamSyntax: Syntax = {
  head: (id) => (id === undefined ? "" : `id: ${id}\n`),
  body: (name, json) => `event: ${name}\ndata: ${json}\n\n`,
  position: (id) => `id: ${id}\n\n`,
};

const heartbeat = toShortWire(":\n\n");

/**
 * An open event stream: what its handler sends and what its topics deliver, until the client reads it. The bytes that
 * wait are limited: a client that reads too slowly is disconnected, and continues from the buffer of its topics.
 */
export class EventStream<Sends extends Messages = Messages>
  extends TopicConnection<StreamOutbox>
  implements AsyncIterableIterator<Uint8Array>
{
  readonly kind = "stream";
  readonly #route: LiveRoute;

  constructor(route: LiveRoute, ctx: Context) {
    super(ctx, route, (onSlow) => new StreamOutbox(route.limits.pendingBytes, onSlow));
    this.#route = route;
    // random, so that clients that lost their connections together do not come back together
    const { retry } = route.connections.settings;
    this.outbox.push(toShortWire(`retry: ${randomInt(retry, 2 * retry + 1)}\n\n`));
  }

  /** Sends an event. Throws InvalidMessage when the data does not match its schema. */
  send<Name extends keyof Sends & string>(name: Name, data: Returned<Sends[Name]>, { id }: SendOptions = {}): void {
    this.push(() => {
      if (id !== undefined && /[\n\r\0]/.test(id)) throw new InvalidMessage("an id has no line breaks and no U+0000");
      return this.#route.messages.encode(name, data, id);
    });
  }

  /** Ends the stream. The client reconnects, unless the reason tells it not to. */
  close(reason = "closed by the server"): void {
    this.#end(toWire(streamSyntax.body("close", JSON.stringify({ reason }))));
  }

  beat(): void {
    if (this.outbox.isEmpty) this.outbox.push(heartbeat);
  }

  check(): void {}

  end(closing: Closing): void {
    if (closing === closings.slow) {
      this.#route.connections.count("slowClients");
      this.outbox.clear();
    }
    if (closing === closings.stopping) this.#end();
    else this.close(closing.reason);
  }

  /** Everything that waits, in one piece. */
  async next(): Promise<IteratorResult<Uint8Array>> {
    const value = await this.outbox.take();
    return value === undefined ? { done: true, value: undefined } : { done: false, value };
  }

  /** The client has disconnected, or the response is not sent. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.outbox.clear();
    this.#end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(last?: Wire): void {
    if (!this.isOpen) return;
    this.leave();
    this.outbox.end(last);
  }
}
