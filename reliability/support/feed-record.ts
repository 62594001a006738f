import type { Published, Tick } from "./feed-protocol.ts";

/** A message of a stream or a socket. Without an event, it is only the position of the client. */
export interface FeedMessage {
  readonly id: string;
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/** Events of a lane. */
interface Range {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

/** Which event has which position: the same for all clients of all instances. */
export type EventOrder = Map<string, string>;

/** What one client has got, across its connections: checks that nothing is missing, doubled or out of order. */
export class FeedRecord {
  /** Where the client continues. */
  id = "";
  received = 0;
  /** How many events each reset has skipped; infinite after a store has lost its events. */
  readonly skips: number[] = [];
  /** Events that arrived again, or after later ones. */
  repeated = 0;
  /** Ids that do not follow each other, without a reset between them. */
  jumps = 0;
  /** Positions that another client got with another event. */
  contradictions = 0;
  readonly #order: EventOrder;
  readonly #skipped: Range[] = [];
  /** The last event of each lane, and how many resets there were before it. */
  readonly #lanes = new Map<number, { readonly number: number; readonly resets: number }>();
  #listeners: { readonly since: number; readonly resolve: (milliseconds: number) => void }[] = [];

  constructor(order: EventOrder) {
    this.#order = order;
  }

  get resets(): number {
    return this.skips.length;
  }

  take({ id, event, data }: FeedMessage): void {
    const before = this.id;
    this.id = id;
    if (event === "reset") this.skips.push(distance(before, id));
    else if (event === "tick")
      this.#takeTick(before, id, data as Tick); // validated by the route that sends it
    else if (before !== "" && before !== id) this.jumps++; // a client continues exactly where it was
  }

  /** Milliseconds until it gets an event that was published after this time. */
  hears(since: number): Promise<number> {
    return new Promise((resolve) => this.#listeners.push({ since, resolve }));
  }

  /** Whether it has all of these events, or was told that it has missed some. */
  isComplete(published: readonly Published[]): boolean {
    return published.every((lane) => this.#isExcused(lane.lane) || this.#lastOf(lane.lane) >= lastAcknowledged(lane));
  }

  /** Events that were acknowledged to their publisher, and neither arrived nor were reported as missed. */
  countLost(published: readonly Published[]): number {
    return countAcknowledged(this.#skipped, published);
  }

  /** Events at the end that were acknowledged, and have not arrived. */
  countLate(published: readonly Published[]): number {
    const ends = published.map(({ lane, last }) => ({ lane, from: this.#lastOf(lane) + 1, to: last }));
    return countAcknowledged(
      ends.filter(({ lane }) => !this.#isExcused(lane)),
      published,
    );
  }

  #takeTick(before: string, id: string, { lane, number, at }: Tick): void {
    this.received++;
    if (!follows(before, id)) this.jumps++;
    const name = `${lane}:${number}`;
    const position = toPosition(id).join("-");
    const known = this.#order.get(position);
    if (known === undefined) this.#order.set(position, name);
    else if (known !== name) this.contradictions++;
    const last = this.#lastOf(lane);
    if (number <= last) this.repeated++;
    else if (number > last + 1 && !this.#isExcused(lane)) this.#skipped.push({ lane, from: last + 1, to: number - 1 });
    this.#lanes.set(lane, { number: Math.max(last, number), resets: this.resets });
    if (this.#listeners.length > 0) this.#tell(at);
  }

  #lastOf(lane: number): number {
    return this.#lanes.get(lane)?.number ?? 0;
  }

  /** There was no event of this lane since the last reset: what is missing was reported. */
  #isExcused(lane: number): boolean {
    return (this.#lanes.get(lane)?.resets ?? 0) < this.resets;
  }

  #tell(at: number): void {
    const now = Date.now();
    for (const { since, resolve } of this.#listeners) if (at >= since) resolve(now - since);
    this.#listeners = this.#listeners.filter(({ since }) => at < since);
  }
}

/** The epoch and the number of `1764000000000-17.3.Zm9vYmFyYmF6cXV4`, whose end is for this client. */
function toPosition(id: string): number[] {
  return id.split(/[-.]/, 2).map(Number);
}

/** `1764000000000-17` is followed by `1764000000000-18`; before the first event of a topic, `0-0` by `…-1`. */
function follows(before: string, id: string): boolean {
  const [oldEpoch, oldNumber] = toPosition(before);
  const [epoch, number] = toPosition(id);
  return number === (oldNumber ?? Number.NaN) + 1 && (epoch === oldEpoch || oldNumber === 0);
}

/** Events from one position to another; infinite when they are of different epochs, or the store has lost events. */
function distance(before: string, id: string): number {
  const [oldEpoch, oldNumber = 0] = toPosition(before);
  const [epoch, number = 0] = toPosition(id);
  const isComparable = (epoch === oldEpoch || oldNumber === 0) && number >= oldNumber;
  return isComparable ? number - oldNumber : Number.POSITIVE_INFINITY;
}

function countAcknowledged(ranges: readonly Range[], published: readonly Published[]): number {
  const failed = new Map(published.map((lane) => [lane.lane, new Set(lane.failed)]));
  let count = 0;
  for (const { lane, from, to } of ranges) {
    for (let number = from; number <= to; number++) if (failed.get(lane)?.has(number) !== true) count++;
  }
  return count;
}

function lastAcknowledged({ last, failed }: Published): number {
  const lost = new Set(failed);
  let number = last;
  while (lost.has(number)) number--;
  return number;
}
