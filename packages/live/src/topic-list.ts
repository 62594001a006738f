import type { Lease } from "@tenon/core/internal";
import type { LiveEvent } from "./channels/live-event.ts";
import {
  formatPosition,
  isResumeId,
  type Position,
  positionOf,
  type ResumeIds,
  ticketOf,
} from "./channels/position.ts";
import type { Sink, Subscriber } from "./channels/subscriber.ts";
import type { Outbox } from "./outbox.ts";
import type { Wire } from "./wire.ts";

/** Where the messages of a list go. */
type Target = Pick<Outbox, "push" | "whenRoom">;

/** How the connections of a route write what their topics deliver. `id` is where the client would continue. */
export interface TopicFormat {
  readonly ids: ResumeIds;
  position(id: string): Wire;
  /** Undefined when the event is not sent. */
  event(event: LiveEvent, id: string): Wire | undefined;
  reset(topic: string, id: string): Wire;
  /** A function that was given to `onClose()` has failed. */
  reportFailedClose(error: unknown): void;
}

const maxTopics = 50;
/** Part of the id of a client that has not continued in all of its topics: it gets a `reset` in those that are missing. */
const lost = "~";

/**
 * The topics of one connection. The id that its client sends back after a reconnect has a position for each of them, see
 * `ResumeIds`. Parts that no topic claims are not sent back: a client could make each event as long as it likes.
 */
export class TopicList implements Subscriber {
  readonly outbox: Target;
  readonly format: TopicFormat;
  /** Those of the guards, and those of topics. */
  readonly #leases: Lease[];
  /** The parts of the id that the client has sent whose topics have not been subscribed to yet; undefined for none. */
  #unclaimed: readonly string[] | undefined;
  /** Whether the id has parts that cannot be read. */
  readonly #hasUnknown: boolean;
  // arrays begin with their first element: an empty one gets room for 17 with it, in each of many connections
  #sinks: TopicSink[] | undefined;
  #endings: (() => void)[] | undefined;
  #isClosed = false;

  constructor(lastEventId: string, leases: Lease[], outbox: Target, format: TopicFormat) {
    this.outbox = outbox;
    this.format = format;
    this.#leases = leases;
    const parts = lastEventId === "" ? [] : lastEventId.split(",");
    const known = parts.slice(0, maxTopics).filter(isResumeId);
    this.#hasUnknown = known.length < parts.length;
    if (known.length > 0) this.#unclaimed = known;
  }

  join(topic: string, lease?: Lease): Sink {
    if (this.#sinks !== undefined && this.#sinks.length >= maxTopics) {
      throw new RangeError(`a connection subscribes to at most ${maxTopics} topics`);
    }
    const sink = new TopicSink(topic, this.principal, this, lease, this.#claim(topic));
    if (lease !== undefined) this.#leases.push(lease);
    if (this.#sinks === undefined) this.#sinks = [sink];
    else this.#sinks.push(sink);
    return sink;
  }

  /** For whom the guards have let the connection in; "[]" without a guard. */
  get principal(): string {
    return JSON.stringify(this.#leases.flatMap(({ principal }) => principal ?? []));
  }

  leave(sink: TopicSink): void {
    if (this.#isClosed) return;
    this.#sinks = this.#sinks?.filter((one) => one !== sink);
    if (sink.lease !== undefined) this.#leases.splice(this.#leases.indexOf(sink.lease), 1);
  }

  /**
   * The part of the client's id that is for a topic. A topic that is not in it may be one whose part cannot be read, so
   * that the client may have missed events: `lost`.
   */
  #claim(topic: string): string | undefined {
    const unclaimed = this.#unclaimed;
    if (unclaimed === undefined) return this.#hasUnknown ? lost : undefined;
    const { ids } = this.format;
    const index = unclaimed.findIndex((id) => ids.isFor(id, topic, this.principal));
    if (index < 0) return lost;
    this.#unclaimed = unclaimed.length === 1 ? undefined : unclaimed.toSpliced(index, 1);
    return unclaimed[index];
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
    const isPartial = this.#unclaimed !== undefined || this.#hasUnknown;
    if (!isPartial && this.#sinks?.length === 1) return id;
    const ids = (this.#sinks ?? []).flatMap((sink) => (sink.id === "" ? [] : [sink.id]));
    return (isPartial ? [...ids, lost] : ids).join(",");
  }
}

/** One topic of a connection. */
class TopicSink implements Sink {
  readonly from: Position | "unknown" | undefined;
  readonly lease: Lease | undefined;
  /** Undefined for a new client before the subscription has begun, and for one whose position was lost. */
  #position: Position | undefined;
  /** See `ResumeIds`; undefined before the subscription has begun. */
  #ticket: string | undefined;
  readonly #topic: string;
  readonly #principal: string;
  readonly #list: TopicList;

  /** `id` is the part of the client's id, or `lost`. */
  constructor(topic: string, principal: string, list: TopicList, lease: Lease | undefined, id = "") {
    this.#position = positionOf(id); // events of other topics may be sent first: their ids must not forget this one
    this.from = id === lost ? "unknown" : this.#position;
    this.#ticket = ticketOf(id);
    this.#topic = topic;
    this.#principal = principal;
    this.#list = list;
    this.lease = lease;
  }

  /** Where the client would continue; "" for a new one before the subscription has begun. */
  get id(): string {
    if (this.#position !== undefined) return `${formatPosition(this.#position)}.${this.#ticket}`;
    return this.from === "unknown" ? lost : "";
  }

  begin(position: Position): void {
    this.#ticket ??= this.#toTicket(position);
    const { outbox, format } = this.#list;
    outbox.push(format.position(this.#moveTo(position)));
  }

  deliver(event: LiveEvent): void {
    const { outbox, format } = this.#list;
    const wire = format.event(event, this.#moveTo(event.position));
    if (wire !== undefined) outbox.push(wire);
  }

  whenRoom(bytes: number): Promise<void> | undefined {
    return this.#list.outbox.whenRoom(bytes);
  }

  reset(position: Position): void {
    this.#ticket = this.#toTicket(position);
    const { outbox, format } = this.#list;
    outbox.push(format.reset(this.#topic, this.#moveTo(position)));
  }

  leave(): void {
    this.#list.leave(this);
  }

  #toTicket(since: Position): string {
    return this.#list.format.ids.toTicket(this.#topic, this.#principal, since);
  }

  #moveTo(position: Position): string {
    this.#position = position;
    return this.#list.idAfter(this.id);
  }
}
