import { fileURLToPath } from "node:url";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import type { Figures } from "../part.ts";
import { FeedClient } from "./feed-client.ts";
import type { FeedCommand, Published } from "./feed-protocol.ts";
import { type EventOrder, FeedRecord } from "./feed-record.ts";
import { becomesTrue } from "./job-process.ts";
import { startService } from "./service.ts";

const fixture = fileURLToPath(new URL("../fixtures/live-feed.ts", import.meta.url));
const lanesOfEach = 16;
/** Milliseconds until clients have got what was published last. */
const patience = 60_000;

export interface FeedOptions {
  /** The URLs of the stores, and `TOPIC`. */
  readonly env: Readonly<Record<string, string>>;
  readonly bufferEvents: number;
  readonly seed: number;
}

/** Two instances that share a store, with clients of both. */
export class Feed {
  readonly #instances: readonly ServerProcess[];
  readonly #bufferEvents: number;
  readonly #random: Random;
  readonly #order: EventOrder = new Map();
  readonly #clients: FeedClient[] = [];

  private constructor(instances: readonly ServerProcess[], bufferEvents: number, seed: number) {
    this.#instances = instances;
    this.#bufferEvents = bufferEvents;
    this.#random = new Random(seed);
  }

  static async with<T>({ env, bufferEvents, seed }: FeedOptions, body: (feed: Feed) => Promise<T>): Promise<T> {
    const options = { file: fixture, env: { ...env, BUFFER_EVENTS: String(bufferEvents) } };
    const instances = await Promise.all([startService(options), startService(options)]);
    const feed = new Feed(instances, bufferEvents, seed);
    try {
      return await body(feed);
    } finally {
      await Promise.all(feed.#clients.map((client) => client.stop()));
      await Promise.all(instances.filter(({ alive }) => alive).map((instance) => instance.kill()));
    }
  }

  get isAlive(): boolean {
    return this.#instances.every(({ alive }) => alive);
  }

  /** The connections that the clients have made. */
  get connections(): number {
    return this.#clients.reduce((sum, { connections }) => sum + connections, 0);
  }

  /** How often clients were told that they had missed events. */
  get resets(): number {
    return this.#clients.reduce((sum, { record }) => sum + record.resets, 0);
  }

  /** Resets of clients that had missed less than the buffer keeps. Only a store that has lost events may send them. */
  get undueResets(): number {
    return this.#clients.flatMap(({ record }) => record.skips.filter((events) => events < this.#bufferEvents)).length;
  }

  /** Adds streams and sockets, half of them each, and waits until they have their positions. */
  async addClients(
    count: number,
    { stay, away }: { readonly stay?: number; readonly away: number },
  ): Promise<FeedClient[]> {
    const urls = this.#instances.map(({ url }) => url);
    const clients = Array.from({ length: count }, (_, index) => {
      const kind = index % 2 === 0 ? "stream" : "socket";
      const record = new FeedRecord(this.#order);
      const random = new Random(this.#random.below(2 ** 31));
      return new FeedClient({ kind, urls, random, record, away, ...(stay === undefined ? {} : { stay }) });
    });
    this.#clients.push(...clients);
    const areThere = await becomesTrue(() => clients.every(({ record }) => record.id !== ""), patience);
    if (!areThere) throw new Error("clients of the feed get no position");
    return clients;
  }

  /** `rate` is that of all lanes together. */
  async start(rate: number, events = 0): Promise<void> {
    const each = { rate: rate / (2 * lanesOfEach), limit: Math.ceil(events / (2 * lanesOfEach)) };
    const lanesOf = (index: number) => Array.from({ length: lanesOfEach }, (_, lane) => index * lanesOfEach + lane);
    await this.#ask((index) => ({ type: "start", lanes: lanesOf(index), ...each }));
  }

  /** Waits until every client has got an event: before its first one, a position does not tell one run of a store from another. */
  async reachAll(): Promise<void> {
    const haveOne = await becomesTrue(() => this.#clients.every(({ record }) => record.received > 0), patience);
    if (!haveOne) throw new Error("clients of the feed get no event");
  }

  /** Events that were acknowledged so far. */
  async count(): Promise<number> {
    const counts = await this.#ask<number>(() => ({ type: "count" }));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Waits until every lane has published its events, or stops them; then until the clients have them. */
  async end(type: "finish" | "stop"): Promise<readonly Published[]> {
    const published = (await this.#ask<Published[]>(() => ({ type }))).flat();
    for (const client of this.#clients) client.settle();
    await becomesTrue(() => this.#clients.every(({ record }) => record.isComplete(published)), patience, 200);
    return published;
  }

  /** Judges what all clients have got. A connection may be refused with 503: the store does not respond. */
  judge(figures: Figures, store: string, published: readonly Published[]): void {
    const records = this.#clients.map(({ record }) => record);
    const sum = (of: (record: FeedRecord) => number) => records.reduce((total, record) => total + of(record), 0);
    const failed = published.reduce((total, lane) => total + lane.failed.length, 0);
    const others = this.#clients.flatMap(({ refusals }) => refusals.filter((status) => status !== 503));
    figures
      .show(`${store}: acknowledged`, published.reduce((total, { last }) => total + last, 0) - failed)
      .show(`${store}: not acknowledged`, failed)
      .show(`${store}: connections`, this.connections)
      .show(
        `${store}: refused`,
        this.#clients.reduce((total, { refusals }) => total + refusals.length, 0),
      )
      .show(
        `${store}: delivered`,
        sum(({ received }) => received),
      )
      .exactly(
        `${store}: lost silently`,
        sum((record) => record.countLost(published)),
        0,
      )
      .exactly(
        `${store}: not delivered`,
        sum((record) => record.countLate(published)),
        0,
      )
      .exactly(
        `${store}: repeated or out of order`,
        sum(({ repeated, jumps }) => repeated + jumps),
        0,
      )
      .exactly(
        `${store}: ids of two events`,
        sum(({ contradictions }) => contradictions),
        0,
      )
      .holds(`${store}: both instances live`, this.isAlive);
    if (others.length > 0) figures.miss(`${store}: connections were refused with ${[...new Set(others)].join(", ")}`);
  }

  #ask<T>(commandOf: (index: number) => FeedCommand): Promise<T[]> {
    return Promise.all(this.#instances.map((instance, index) => instance.ask<T>(JSON.stringify(commandOf(index)))));
  }
}
