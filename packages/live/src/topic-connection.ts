import type { Context } from "@tenon/core";
import { type Lease, leasesOf } from "@tenon/core/internal";
import type { Sink, Subscriber } from "./channels/subscriber.ts";
import type { Closing, LiveConnection, LiveConnections } from "./connections.ts";
import type { LiveRoute } from "./live-route.ts";
import { InvalidMessage } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import { TopicList } from "./topic-list.ts";
import type { Wire } from "./wire.ts";

/** Characters of the id that a client sends back. */
const longestId = 4000;

/** An event stream or a socket, with its topics. */
export abstract class TopicConnection<Box extends Outbox> implements LiveConnection, Subscriber {
  abstract readonly kind: LiveConnection["kind"];
  /** The id of the last event that the client received on an earlier connection; "" for a new client. */
  readonly lastEventId: string;
  readonly leases: readonly Lease[];
  protected readonly outbox: Box;
  readonly #connections: LiveConnections;
  readonly #topics: TopicList;
  #isOpen = true;

  /** `createOutbox` gets the connection, which it ends when the client reads too slowly. */
  constructor(ctx: Context, route: LiveRoute, createOutbox: (onSlow: Pick<LiveConnection, "end">) => Box) {
    this.lastEventId = lastEventIdOf(ctx);
    const leases = leasesOf(ctx);
    this.leases = leases;
    this.outbox = createOutbox(this);
    this.#connections = route.connections;
    this.#topics = new TopicList(this.lastEventId, leases, this.outbox, route);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  join(topic: string, lease?: Lease): Sink {
    return this.#topics.join(topic, lease);
  }

  onClose(end: () => void): void {
    this.#topics.onClose(end);
  }

  abstract beat(): void;
  abstract check(now: number): void;
  abstract end(closing: Closing): void;

  /** Sends a message, and counts one that does not match its schema. */
  protected push(encode: () => Wire): void {
    try {
      this.outbox.push(encode());
    } catch (error) {
      if (error instanceof InvalidMessage) this.#connections.count("unsentMessages");
      throw error;
    }
  }

  /** Ends its topics. The outbox is left to the kind of connection. */
  protected leave(): void {
    this.#isOpen = false;
    this.#topics.close();
    this.#connections.remove(this);
  }
}

/** Where a client that reconnects wants to continue. A page cannot set headers of a WebSocket, so it may be in the query. */
function lastEventIdOf(ctx: Context): string {
  const id = ctx.header("last-event-id") || ctx.query("lastEventId");
  return id.slice(0, longestId); // the last part of a longer one cannot be read: that is a "reset"
}
