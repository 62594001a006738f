import { setTimeout as sleep } from "node:timers/promises";
import type { AnyDatabase, SharedPostgres, SharedStore } from "@tenon/data";
import { CompiledQuery } from "kysely";
import { type Asked, type Batch, type EventStore, liveChannel, newSecret, toBatch, type Wake } from "./event-store.ts";
import { LiveEvent } from "./live-event.ts";
import type { BufferLimits } from "./memory-store.ts";

const sweepBatch = 1000;
/** Events of one statement, and events of one topic that may wait for it. */
const writeBatch = 100;
const maxUnwritten = 10_000;
/** Milliseconds between attempts to write to a topic that a transaction holds, and for all of them. */
const holdPause = 20;
const holdTimeout = 30_000;
/** Milliseconds after which a topic without new events is forgotten. */
const topicTtl = 7 * 86_400_000;

const tables = [
  "create table if not exists tenon_live_topics (topic text primary key, epoch bigint not null, number bigint not null, used_at bigint not null)",
  "create table if not exists tenon_live_events (topic text not null, number bigint not null, name text not null, data text not null, created_at bigint not null, primary key (topic, number))",
  "create index if not exists tenon_live_events_created_at on tenon_live_events (created_at)",
  "create table if not exists tenon_live_secret (id int primary key, secret text not null)",
];

// the row of the topic is locked until the commit: the numbers of a topic have the order of its commits, and no gaps
const toAppendStatement = (lock: string) => `with held as materialized (select ${lock} as is_held), topic as (
  insert into tenon_live_topics as old (topic, epoch, number, used_at)
  select $1::text, $4::bigint, cardinality($2::text[]), $4::bigint from held where is_held
  on conflict (topic) do update set number = old.number + excluded.number, used_at = excluded.used_at returning number
), event as (
  insert into tenon_live_events (topic, number, name, data, created_at)
  select $1::text, topic.number - cardinality($2::text[]) + added.place, added.name, added.data, $4::bigint
  from topic, unnest($2::text[], $3::text[]) with ordinality as added (name, data, place) returning 1
) select 1 from topic`;

const lockKey = "hashtextextended('tenon_live ' || $1::text, 0)";
const appendInTransaction = toAppendStatement(`pg_advisory_xact_lock(${lockKey}) is not null`);
/** Returns no row while a transaction that has published to the topic is open. */
const appendUnlessHeld = toAppendStatement(`pg_try_advisory_xact_lock_shared(${lockKey})`);

// A replica that is promoted may lack events that subscribers have seen, and gives their numbers to other events: it
// counts up the timeline, which makes the epoch another one.
const timeline = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";

const readStatement = `select asked.place, topic.epoch + ${timeline} as epoch, topic.number as last, event.number, event.name, event.data
from unnest($1::text[], $2::bigint[]) with ordinality as asked (topic, after, place)
join tenon_live_topics topic on topic.topic = asked.topic left join lateral (
  select number, name, data from tenon_live_events where tenon_live_events.topic = asked.topic and number > asked.after
  order by number limit $3::int
) event on true order by asked.place, event.number`;

interface Row {
  /** From 1. */
  readonly place: number;
  readonly epoch: number;
  readonly last: number;
  readonly number: number | null;
  readonly name: string;
  readonly data: string;
}

/** An event that waits for its turn. */
interface Unwritten {
  readonly name: string;
  readonly text: string;
  /** When it was published, by `performance.now()`. */
  readonly at: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Events in a table of PostgreSQL. Messages between instances only wake their subscribers. */
export class PostgresStore implements EventStore {
  readonly reach = "instances";
  readonly joinsTransactions = true;
  readonly #shared: SharedStore;
  readonly #postgres: SharedPostgres;
  readonly #limits: BufferLimits;
  readonly #createsTables: boolean;
  /** Published to since the last sweep. */
  readonly #used = new Set<string>();
  readonly #unwritten = new Map<string, Unwritten[]>();
  #isWriting = false;
  #secret = "";
  #stopListening: (() => void) | undefined;

  /** With `createsTables` the start creates the tables that are missing. */
  constructor(shared: SharedStore, postgres: SharedPostgres, limits: BufferLimits, createsTables = true) {
    this.#shared = shared;
    this.#postgres = postgres;
    this.#limits = limits;
    this.#createsTables = createsTables;
  }

  async open(): Promise<void> {
    if (this.#createsTables) await this.createTables();
    try {
      await this.#readSecret();
    } catch (error) {
      if (this.#createsTables) throw error;
      this.#secret = newSecret(); // the command that creates the tables has to start without them
    }
  }

  async createTables(): Promise<void> {
    for (const statement of tables) {
      // two instances may race here: the loser fails although the table exists, and finds it on the second try
      await this.#postgres.query(statement, []).catch(() => this.#postgres.query(statement, []));
    }
  }

  async #readSecret(): Promise<void> {
    const add = "insert into tenon_live_secret (id, secret) values (1, $1) on conflict do nothing";
    await this.#postgres.query(add, [newSecret()]);
    const { rows } = await this.#postgres.query<{ readonly secret: string }>(
      "select secret from tenon_live_secret",
      [],
    );
    this.#secret = rows[0]?.secret ?? "";
  }

  get secret(): string {
    return this.#secret;
  }

  listen(wake: Wake): void {
    this.#stopListening = this.#shared.listen(liveChannel, wake);
  }

  async close(): Promise<void> {
    this.#stopListening?.();
  }

  /**
   * Without a transaction, one statement at a time: others would wait for the row of the topic and hold the pool. None
   * waits for a transaction, which would keep the events of all other topics waiting.
   */
  async append(topic: string, name: string, text: string, transaction?: AnyDatabase): Promise<void> {
    this.#used.add(topic);
    if (transaction !== undefined) {
      const values = [topic, [name], [text], Date.now()];
      await transaction.executeQuery(CompiledQuery.raw(appendInTransaction, values));
      return this.#shared.notify(liveChannel, topic, transaction);
    }
    const written = Promise.withResolvers<void>();
    const { resolve, reject } = written;
    const waiting = this.#unwritten.get(topic) ?? [];
    if (waiting.length >= maxUnwritten) throw new Error(`${maxUnwritten} events of "${topic}" wait to be stored`);
    waiting.push({ name, text, at: performance.now(), resolve, reject });
    this.#unwritten.set(topic, waiting);
    if (!this.#isWriting) void this.#writeAll();
    return written.promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#unwritten.size > 0) {
      let hasWritten = false;
      for (const [topic, waiting] of [...this.#unwritten]) {
        if (!(await this.#write(topic, waiting))) continue;
        hasWritten = true;
        if (waiting.length === 0) this.#unwritten.delete(topic);
      }
      if (!hasWritten) await sleep(holdPause);
    }
    this.#isWriting = false;
  }

  /** Returns false while a transaction holds the topic. Events that are added meanwhile stay in the list. */
  async #write(topic: string, waiting: Unwritten[]): Promise<boolean> {
    const events = waiting.slice(0, writeBatch);
    const values = [topic, events.map(({ name }) => name), events.map(({ text }) => text), Date.now()];
    try {
      const { rows } = await this.#postgres.query(appendUnlessHeld, values);
      if (rows.length === 0) {
        if (performance.now() - (events[0]?.at ?? 0) < holdTimeout) return false;
        throw new Error(`a transaction that has published to "${topic}" is open for more than ${holdTimeout} ms`);
      }
      void this.#shared.notify(liveChannel, topic);
      for (const { resolve } of events) resolve();
    } catch (error) {
      for (const { reject } of events) reject(error);
    }
    waiting.splice(0, events.length);
    return true;
  }

  async read(asked: readonly Asked[], limit: number): Promise<Batch[]> {
    const values = [asked.map(({ topic }) => topic), asked.map(({ after }) => after?.number ?? null), limit];
    const { rows } = await this.#postgres.query<Row>(readStatement, values);
    const found = Map.groupBy(rows, ({ place }) => Number(place) - 1);
    return asked.map((one, index) => this.#toBatch(one, found.get(index) ?? []));
  }

  #toBatch({ topic, after }: Asked, rows: readonly Row[]): Batch {
    const [first] = rows;
    if (first === undefined) return toBatch(undefined, after, []);
    const epoch = Number(first.epoch);
    const events = rows.flatMap(({ number, name, data }) =>
      number === null ? [] : [new LiveEvent(topic, name, data, { epoch, number: Number(number) })],
    );
    return toBatch({ epoch, number: Number(first.last) }, after, events);
  }

  /** Deletes what is no longer in the buffer. */
  async sweep(): Promise<void> {
    const { events, seconds } = this.#limits;
    for (const topic of this.#used) {
      this.#used.delete(topic);
      await this.#postgres.query(
        "delete from tenon_live_events where topic = $1 and number <= (select number from tenon_live_topics where topic = $1) - $2::int",
        [topic, events],
      );
    }
    const now = Date.now();
    // the oldest first: what is left of a topic has no holes
    const old = `with old as (select ctid from tenon_live_events where created_at < $1 order by created_at, number limit ${sweepBatch} for update skip locked), gone as (delete from tenon_live_events where ctid = any(array(select ctid from old)) returning 1) select count(*) as count from gone`;
    for (let count = sweepBatch; count === sweepBatch; ) {
      const { rows } = await this.#postgres.query<{ readonly count: number }>(old, [now - seconds * 1000]);
      count = Number(rows[0]?.count);
    }
    await this.#postgres.query("delete from tenon_live_topics where used_at < $1", [now - topicTtl]);
  }
}
