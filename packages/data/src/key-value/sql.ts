import { Clock, type OnStart } from "@tenon/core";
import type { StoreEntry } from "../store-entry.ts";
import { runInBatches } from "../support/batches.ts";
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
  /** Defaults to that of the system. PostgreSQL uses that of its server. */
  readonly clock?: Clock;
  /** Whether the start creates the tables that are missing. Defaults to true. */
  readonly createTables?: boolean;
}

const table = "tenon_key_value";
const sweepBatch = 250;

/** A store in an SQL table. Each operation is one statement, so that concurrent instances see it whole or not at all. */
export class SqlKeyValue extends KeyValue implements OnStart {
  readonly #store: SqlStore;
  readonly #clock: Clock;
  readonly #createsTables: boolean;
  readonly #statements: ReturnType<typeof createStatements>;
  #isStarted = false;

  constructor(store: SqlStore, options: SqlKeyValueOptions = {}) {
    super();
    this.#store = store;
    this.#clock = options.clock ?? new Clock();
    this.#createsTables = options.createTables ?? true;
    this.#statements = createStatements(store.kind);
  }

  async onStart(): Promise<void> {
    if (this.#isStarted) return; // it may be both `KeyValue` and `DatabaseKeyValue`
    this.#isStarted = true;
    await this.#store.open();
    if (this.#createsTables) await this.createTables();
  }

  async createTables(): Promise<void> {
    const { createTable, createIndex } = this.#statements;
    for (const statement of [createTable, createIndex]) {
      // two instances may race here on PostgreSQL: the loser fails although the table exists, and finds it on the second try
      await this.#run(statement).catch(() => this.#run(statement));
    }
  }

  async get<T>(key: string): Promise<T | undefined> {
    return toValue<T>(await this.#find(key));
  }

  async set(key: string, value: unknown, options: SetOptions = {}): Promise<void> {
    await this.#run(this.#statements.set, { key, value: encode(value), ttl: toTtl(options) });
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#take(key)) !== undefined;
  }

  async take<T>(key: string): Promise<T | undefined> {
    return toValue<T>(await this.#take(key));
  }

  async increment(key: string, options: SetOptions = {}): Promise<number> {
    const [row] = await this.#run(this.#statements.increment, { key, ttl: toTtl(options) });
    if (row === undefined) throw notACount(key);
    return Number(row.value);
  }

  async ttl(key: string): Promise<number | undefined> {
    const row = await this.#find(key);
    return row && secondsLeft(row);
  }

  override async list(limit: number): Promise<StoreEntry[]> {
    const rows = await this.#run(this.#statements.list, { limit });
    return rows.map((row) => ({ key: String(row.key), text: String(row.value), ttl: secondsLeft(row) }));
  }

  /** Deletes expired rows in bounded batches and returns how many. */
  override sweep(): Promise<number> {
    return runInBatches(() => this.sweepBatch());
  }

  async sweepBatch(): Promise<number> {
    return (await this.#run(this.#statements.sweep, { limit: sweepBatch })).length;
  }

  async #find(key: string): Promise<Row | undefined> {
    const [row] = await this.#run(this.#statements.get, { key });
    if (row === undefined || secondsLeft(row) > 0) return row;
    // deleted, so that a clock that is set back does not bring back a key that was reported as expired
    await this.#run(this.#statements.deleteExpired, { key });
    return undefined;
  }

  async #take(key: string): Promise<Row | undefined> {
    const [row] = await this.#run(this.#statements.take, { key });
    return row !== undefined && secondsLeft(row) > 0 ? row : undefined;
  }

  async #run({ sql, names }: Statement, values: Row = {}): Promise<Row[]> {
    const all: Row = { ...values, now: this.#clock.now() };
    const { rows } = await this.#store.execute(
      sql,
      names.map((name) => all[name]),
    );
    return rows;
  }
}

function secondsLeft({ milliseconds_left: left }: Row): number {
  return left === null ? Number.POSITIVE_INFINITY : Number(left) / 1000;
}

function toTtl(options: SetOptions): number | null {
  return toMilliseconds(options.ttl) ?? null;
}

function toValue<T>(row: Row | undefined): T | undefined {
  return typeof row?.value === "string" ? (JSON.parse(row.value) as T) : undefined; // what was set under this key
}

interface Statement {
  readonly sql: string;
  /** The names of its parameters, in their order. */
  readonly names: readonly string[];
}

/** The server's clock: an instance whose own is wrong must not expire what others have set, or keep its own too long. */
const serverTime = "cast(extract(epoch from statement_timestamp()) * 1000 as bigint)";

function createStatements(kind: SqlStore["kind"]) {
  const toStatement = (text: string): Statement => {
    const names: string[] = [];
    const sql = text.replace(/:(\w+)/g, (_, name: string) => {
      if (name === "now" && kind === "postgres") return serverTime;
      names.push(name);
      return "?";
    });
    return { sql, names };
  };
  const integer = kind === "sqlite" ? "integer" : "bigint";
  const isCount =
    kind === "sqlite" ? "cast(cast(old.value as integer) as text) = old.value" : "old.value ~ '^-{0,1}[0-9]+$'";
  const alive = "(old.expires_at is null or old.expires_at > :now)";
  const expiry = `:now + cast(:ttl as ${integer})`;
  const left = "expires_at - :now as milliseconds_left";
  const skipLocked = kind === "sqlite" ? "" : " for update skip locked";
  return {
    createTable: toStatement(
      `create table if not exists ${table} (key text primary key, value text not null, expires_at ${integer})${kind === "sqlite" ? " without rowid" : ""}`,
    ),
    createIndex: toStatement(`create index if not exists ${table}_expires_at on ${table} (expires_at)`),
    get: toStatement(`select value, ${left} from ${table} where key = :key`),
    list: toStatement(
      `select key, value, ${left} from ${table} where expires_at is null or expires_at > :now order by key limit :limit`,
    ),
    deleteExpired: toStatement(`delete from ${table} where key = :key and expires_at <= :now`),
    set: toStatement(
      `insert into ${table} (key, value, expires_at) values (:key, :value, ${expiry}) on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`,
    ),
    take: toStatement(`delete from ${table} where key = :key returning value, ${left}`),
    increment: toStatement(
      `insert into ${table} as old (key, value, expires_at) values (:key, '1', ${expiry}) on conflict (key) do update set value = case when ${alive} then cast(cast(old.value as ${integer}) + 1 as text) else '1' end, expires_at = case when ${alive} then old.expires_at else excluded.expires_at end where not ${alive} or ${isCount} returning value`,
    ),
    /** Instances delete other rows each, so that none waits for another: two that wait for each other are a deadlock. */
    sweep: toStatement(
      `delete from ${table} where key in (select key from ${table} where expires_at <= :now order by expires_at limit :limit${skipLocked}) returning key`,
    ),
  };
}
