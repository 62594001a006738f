import type { OnStart, OnStop } from "@tenon/core";
import type { StoreEntry } from "../store-entry.ts";
import { toMilliseconds } from "../support/ttl.ts";
import { encode, KeyValue, notACount, type SetOptions } from "./key-value.ts";

/** The part of a database that the key-value store uses. `?` is a parameter. */
export interface SqlStore {
  readonly kind: "sqlite" | "postgres";
  open(): Promise<void>;
  execute(sql: string, parameters: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}

type Row = Record<string, unknown>;

export interface SqlKeyValueOptions {
  /** The clock, in milliseconds. Defaults to `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds between sweeps of expired rows. Defaults to 60,000. */
  readonly sweepEvery?: number;
  /** Whether the start creates the tables that are missing. Defaults to true. */
  readonly createTables?: boolean;
}

const table = "tenon_key_value";
const sweepBatch = 500;

/** A store in an SQL table. Each operation is one statement, so that concurrent instances see it whole or not at all. */
export class SqlKeyValue extends KeyValue implements OnStart, OnStop {
  readonly #store: SqlStore;
  readonly #now: () => number;
  readonly #sweepEvery: number;
  readonly #createsTables: boolean;
  readonly #statements: Statements;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SqlStore, options: SqlKeyValueOptions = {}) {
    super();
    this.#store = store;
    this.#now = options.now ?? Date.now;
    this.#sweepEvery = options.sweepEvery ?? 60_000;
    this.#createsTables = options.createTables ?? true;
    this.#statements = createStatements(store.kind);
  }

  async onStart(): Promise<void> {
    await this.#store.open();
    if (this.#createsTables) await this.createTables();
    this.#timer = setInterval(() => void this.sweep().catch(() => {}), this.#sweepEvery);
    this.#timer.unref();
  }

  async createTables(): Promise<void> {
    for (const statement of [this.#statements.createTable, this.#statements.createIndex]) {
      // two instances may race here on PostgreSQL: the loser fails although the table exists, and finds it on the second try
      await this.#store.execute(statement, []).catch(() => this.#store.execute(statement, []));
    }
  }

  onStop(): void {
    clearInterval(this.#timer);
  }

  async get<T>(key: string): Promise<T | undefined> {
    return toValue<T>(await this.#find(key));
  }

  async set(key: string, value: unknown, options: SetOptions = {}): Promise<void> {
    await this.#store.execute(this.#statements.set, [key, encode(value), this.#expiry(options)]);
  }

  async delete(key: string): Promise<boolean> {
    const { rows } = await this.#store.execute(this.#statements.take, [key]);
    return rows[0] !== undefined && this.#secondsLeft(rows[0]) > 0;
  }

  async take<T>(key: string): Promise<T | undefined> {
    const { rows } = await this.#store.execute(this.#statements.take, [key]);
    return rows[0] !== undefined && this.#secondsLeft(rows[0]) > 0 ? toValue<T>(rows[0]) : undefined;
  }

  async increment(key: string, options: SetOptions = {}): Promise<number> {
    const now = this.#now();
    const expiry = this.#expiry(options);
    const { rows } = await this.#store.execute(this.#statements.increment, [key, expiry, now, now, now]);
    const [row] = rows;
    if (row === undefined) throw notACount(key);
    return Number(row.value);
  }

  async ttl(key: string): Promise<number | undefined> {
    const row = await this.#find(key);
    return row && this.#secondsLeft(row);
  }

  override async list(limit: number): Promise<StoreEntry[]> {
    const { rows } = await this.#store.execute(this.#statements.list, [this.#now(), limit]);
    return rows.map((row) => ({ key: String(row.key), text: String(row.value), ttl: this.#secondsLeft(row) }));
  }

  /** Deletes expired rows in bounded batches and returns how many. */
  override async sweep(): Promise<number> {
    let swept = 0;
    for (;;) {
      const { rows } = await this.#store.execute(this.#statements.sweep, [this.#now(), sweepBatch]);
      swept += rows.length;
      if (rows.length < sweepBatch) return swept;
    }
  }

  async #find(key: string): Promise<Row | undefined> {
    const { rows } = await this.#store.execute(this.#statements.get, [key]);
    const [row] = rows;
    if (row === undefined || this.#secondsLeft(row) > 0) return row;
    // deleted, so that a clock that is set back does not bring back a key that was reported as expired
    await this.#store.execute(this.#statements.deleteExpired, [key, this.#now()]);
    return undefined;
  }

  #secondsLeft(row: Row): number {
    return row.expires_at === null ? Number.POSITIVE_INFINITY : (Number(row.expires_at) - this.#now()) / 1000;
  }

  #expiry(options: SetOptions): number | null {
    const ttl = toMilliseconds(options.ttl);
    return ttl === undefined ? null : this.#now() + ttl;
  }
}

function toValue<T>(row: Row | undefined): T | undefined {
  return typeof row?.value === "string" ? (JSON.parse(row.value) as T) : undefined; // what was set under this key
}

interface Statements {
  readonly createTable: string;
  readonly createIndex: string;
  readonly get: string;
  readonly deleteExpired: string;
  readonly set: string;
  readonly take: string;
  readonly increment: string;
  readonly sweep: string;
  readonly list: string;
}

function createStatements(kind: SqlStore["kind"]): Statements {
  const integer = kind === "sqlite" ? "integer" : "bigint";
  const isCount =
    kind === "sqlite" ? "cast(cast(old.value as integer) as text) = old.value" : "old.value ~ '^-{0,1}[0-9]+$'";
  const alive = "(old.expires_at is null or old.expires_at > ?)";
  return {
    createTable: `create table if not exists ${table} (key text primary key, value text not null, expires_at ${integer})${kind === "sqlite" ? " without rowid" : ""}`,
    createIndex: `create index if not exists ${table}_expires_at on ${table} (expires_at)`,
    get: `select value, expires_at from ${table} where key = ?`,
    list: `select key, value, expires_at from ${table} where expires_at is null or expires_at > ? order by key limit ?`,
    deleteExpired: `delete from ${table} where key = ? and expires_at <= ?`,
    set: `insert into ${table} (key, value, expires_at) values (?, ?, ?) on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`,
    take: `delete from ${table} where key = ? returning value, expires_at`,
    increment: `insert into ${table} as old (key, value, expires_at) values (?, '1', ?) on conflict (key) do update set value = case when ${alive} then cast(cast(old.value as ${integer}) + 1 as text) else '1' end, expires_at = case when ${alive} then old.expires_at else excluded.expires_at end where not ${alive} or ${isCount} returning value`,
    sweep: `delete from ${table} where key in (select key from ${table} where expires_at <= ? limit ?) returning key`,
  };
}
