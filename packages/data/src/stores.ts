import { inject, Log } from "@tenon/core";
import { describeStores } from "@tenon/core/internal";
import type { Metric } from "@tenon/core/platform";
import { sql } from "kysely";
import { Cache } from "./cache/cache.ts";
import { Database } from "./database/database.ts";
import { Migrations } from "./database/migrations.ts";
import { createPostgresDialect } from "./database/postgres-dialect.ts";
import { hasSqlState, isRefusedByPooler } from "./database/postgres-errors.ts";
import { PostgresPool } from "./database/postgres-pool.ts";
import type { PostgresOptions } from "./database/postgres-settings.ts";
import { createSqliteDialect, executeNow } from "./database/sqlite-dialect.ts";
import { SqliteFile, type SqliteOptions } from "./database/sqlite-file.ts";
import { Health } from "./health.ts";
import { KeyValue } from "./key-value/key-value.ts";
import { MemoryKeyValue, type MemoryOptions } from "./key-value/memory.ts";
import { RedisKeyValue } from "./key-value/redis.ts";
import { SqlKeyValue, type SqlStore } from "./key-value/sql.ts";
import { RedisConnection, type RedisOptions } from "./redis/redis-connection.ts";
import { SharedStore } from "./shared/shared-store.ts";
import { StoreError } from "./store-error.ts";
import { storeGuarantees } from "./store-guarantees.ts";
import { toStoreMetrics } from "./store-metrics.ts";
import { parseStoreUrl, type StoreUrl } from "./store-url.ts";
import { Sweeps } from "./sweeps.ts";

export interface StoreOptions {
  readonly sqlite?: SqliteOptions;
  readonly postgres?: PostgresOptions;
  readonly redis?: RedisOptions;
  /** Bounds of the cache in memory. Defaults to 10,000 entries and 64 MiB. */
  readonly memoryCache?: Omit<MemoryOptions, "now">;
  /** A `sqlite:` or `postgres://` URL. Defaults to `sqlite:./data/app.db`. */
  readonly database?: string | undefined;
  /** A `redis://`, `sqlite:`, `postgres://` or `memory:` URL. Defaults to the database. */
  readonly keyValue?: string | undefined;
  /** A `memory:` or `redis://` URL. Defaults to `memory:`. */
  readonly cache?: string | undefined;
  /** What error messages call these URLs, for example `{ database: "DATABASE_URL" }`. Defaults to the names of the options. */
  readonly urlNames?: { readonly database?: string; readonly keyValue?: string; readonly cache?: string };
}

const keyValueKinds = ["sqlite", "postgres", "redis", "memory"] as const;
const cacheKinds = ["redis", "memory"] as const;

/** Creates each store once, so that database and key-value store share a file, and key-value store and cache a connection. */
export class Stores {
  readonly #options: StoreOptions;
  readonly #files = new Map<string, SqliteFile>();
  readonly #pools = new Map<string, PostgresPool>();
  readonly #connections = new Map<string, RedisConnection>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  database(): Database {
    const health = inject(Health);
    const url = this.#parseDatabaseUrl();
    const database =
      url.kind === "sqlite" ? this.#sqliteDatabase(url.path) : this.#postgresDatabase(url.url, url.place);
    health.add("database", async () => {
      if (url.kind === "postgres") return this.#pool(url.url).ping();
      await this.#checkFile(url);
      await sql`select 1`.execute(database);
    });
    return database;
  }

  keyValue(): KeyValue {
    const health = inject(Health);
    inject(Database); // starts first and stops last, because the key-value store may use it
    const name = this.#nameOf("keyValue");
    const url = this.#parseKeyValueUrl();
    const store =
      url.kind === "memory"
        ? new MemoryKeyValue()
        : url.kind === "redis"
          ? new RedisKeyValue(this.#redis(url.url, url.place, name), "kv")
          : createSqlKeyValue(url.kind === "sqlite" ? this.#sqliteStore(url.path) : this.#postgresStore(url.url));
    health.add("keyValue", async () => {
      if (url.kind === "postgres") return this.#pool(url.url).ping("select 1 from tenon_key_value limit 1");
      await this.#checkFile(url);
      await store.get("health");
    });
    return store;
  }

  databaseKeyValue(): KeyValue {
    const store = inject(KeyValue);
    if (this.#parseKeyValueUrl().kind !== "redis") return store;
    const url = this.#parseDatabaseUrl();
    return createSqlKeyValue(url.kind === "sqlite" ? this.#sqliteStore(url.path) : this.#postgresStore(url.url));
  }

  cache(): Cache {
    const log = inject(Log);
    const name = this.#nameOf("cache");
    const url = this.#parseCacheUrl();
    const onError = (error: unknown) => log.warn({ err: error }, "the cache is unavailable: every read is a miss");
    if (url.kind === "memory") {
      const bounds = { maxEntries: 10_000, maxBytes: 64 * 1024 * 1024, ...this.#options.memoryCache };
      return new Cache(new MemoryKeyValue(bounds), { onError });
    }
    const store = new RedisKeyValue(this.#redis(url.url, url.place, name), "cache");
    return Object.assign(new Cache(store, { onError }), {
      onStart: () => store.onStart(),
      onStop: () => store.onStop(),
    });
  }

  /** Redis where the key-value store is on it, else PostgreSQL where the database is. */
  shared(): SharedStore {
    inject(Database); // they start first and stop last
    inject(KeyValue);
    const log = inject(Log);
    const keyValue = this.#parseKeyValueUrl();
    const database = this.#parseDatabaseUrl();
    if (keyValue.kind === "redis") {
      const redis = this.#redis(keyValue.url, keyValue.place, this.#nameOf("keyValue"));
      return new SharedStore({ redis, postgres: undefined, log });
    }
    const { listenUrl } = this.#options.postgres ?? {};
    if (listenUrl !== undefined) parseStoreUrl(listenUrl, "postgres.listenUrl", ["postgres"]);
    const postgres = database.kind === "postgres" ? this.#pool(database.url) : undefined;
    return new SharedStore({ redis: undefined, postgres, log });
  }

  /** For `tenon info`, without passwords. */
  [describeStores](): Readonly<Record<"database" | "keyValue" | "cache", { place: string; guarantee: string }>> {
    const placeOf = (url: StoreUrl) => [url.kind, "path" in url ? url.path : "place" in url ? url.place : ""];
    const describe = (url: StoreUrl, guarantee: string) => ({ place: placeOf(url).join(" ").trim(), guarantee });
    const { database, keyValue, cache } = storeGuarantees;
    const [databaseUrl, keyValueUrl, cacheUrl] = [
      this.#parseDatabaseUrl(),
      this.#parseKeyValueUrl(),
      this.#parseCacheUrl(),
    ];
    return {
      database: describe(databaseUrl, database[durableKindOf(databaseUrl)]),
      keyValue: describe(keyValueUrl, keyValue[durableKindOf(keyValueUrl)]),
      cache: describe(cacheUrl, cache[cacheUrl.kind]),
    };
  }

  /** Found like `onStart()`, see `MetricSource`. */
  readMetrics(): Metric[] {
    return toStoreMetrics(this.#pools, this.#connections);
  }

  #nameOf(option: "database" | "keyValue" | "cache"): string {
    return this.#options.urlNames?.[option] ?? option;
  }

  #parseDatabaseUrl() {
    const { database = "sqlite:./data/app.db" } = this.#options;
    return parseStoreUrl(database, this.#nameOf("database"), ["sqlite", "postgres"]);
  }

  #parseKeyValueUrl() {
    const { keyValue } = this.#options;
    if (keyValue === undefined) return this.#parseDatabaseUrl();
    // a variable that sets both takes what both take, so that a wrong value is one problem and not two
    const isShared = this.#nameOf("keyValue") === this.#nameOf("cache");
    return parseStoreUrl(keyValue, this.#nameOf("keyValue"), isShared ? cacheKinds : keyValueKinds);
  }

  #parseCacheUrl() {
    return parseStoreUrl(this.#options.cache ?? "memory:", this.#nameOf("cache"), cacheKinds);
  }

  #sqliteDatabase(path: string): Database {
    const file = this.#file(path);
    return new Database({
      kind: "sqlite",
      dialect: createSqliteDialect(file),
      executeNow: (query) => executeNow(file, query),
      open: async () => {
        try {
          await file.open();
        } catch (error) {
          throw new Error(
            `SQLite cannot open ${path}: ${reasonOf(error)}. Check the folder's rights, or change ${this.#nameOf("database")}.`,
            {
              cause: error,
            },
          );
        }
      },
      close: () => file.close(),
    });
  }

  #postgresDatabase(url: string, place: string): Database {
    const pool = this.#pool(url);
    const log = inject(Log);
    return new Database({
      kind: "postgres",
      dialect: createPostgresDialect(pool),
      poolSize: pool.use.size,
      refuseIfBusy: () => pool.refuseIfBusy(),
      reserve: (poolSize, statementTimeout = this.#options.postgres?.statementTimeout) => {
        const reserved = createPool(url, { ...this.#options.postgres, poolSize, statementTimeout }, log);
        return new Database({
          kind: "postgres",
          dialect: createPostgresDialect(reserved),
          open: () => reserved.open(),
          close: () => reserved.close(),
        });
      },
      open: async () => {
        await pool.open();
        try {
          await pool.check();
        } catch (error) {
          await pool.close();
          const cause = error instanceof StoreError ? error.cause : undefined;
          const refused = hasSqlState(cause);
          const what = refused ? "refuses the connection" : "does not respond";
          const name = this.#nameOf("database");
          const cure = isRefusedByPooler(cause)
            ? `This looks like PgBouncer: set DATABASE_POOLER=transaction, or add ?pooler=transaction to ${name}.`
            : `${refused ? "Change it there" : "Start it"}, or change ${name}.`;
          throw new Error(`PostgreSQL at ${place} ${what}: ${reasonOf(error)}. ${cure}`, { cause: error });
        }
      },
      close: () => pool.close(),
    });
  }

  #sqliteStore(path: string): SqlStore {
    const file = this.#file(path);
    return {
      kind: "sqlite",
      open: () => file.open(),
      execute: (statement, parameters) => file.execute(statement, parameters),
    };
  }

  #postgresStore(url: string): SqlStore {
    const pool = this.#pool(url);
    return {
      kind: "postgres",
      open: () => pool.open(),
      execute: (statement, parameters) => pool.query(numberParameters(statement), parameters),
    };
  }

  #file(path: string): SqliteFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = new SqliteFile(path, this.#options.sqlite);
    this.#files.set(path, file);
    return file;
  }

  async #checkFile(url: StoreUrl): Promise<void> {
    if (url.kind === "sqlite") await this.#files.get(url.path)?.check();
  }

  #pool(url: string): PostgresPool {
    const known = this.#pools.get(url);
    if (known !== undefined) return known;
    const pool = createPool(url, this.#options.postgres, inject(Log));
    this.#pools.set(url, pool);
    return pool;
  }

  #redis(url: string, place: string, option: string): RedisConnection {
    const known = this.#connections.get(url);
    if (known !== undefined) return known;
    const redis = new RedisConnection(url, place, option, this.#options.redis);
    this.#connections.set(url, redis);
    return redis;
  }
}

/** SQLite has databases in memory too. */
function durableKindOf<Kind extends StoreUrl["kind"]>(url: StoreUrl & { readonly kind: Kind }): Kind | "memory" {
  return "path" in url && url.path === ":memory:" ? "memory" : url.kind;
}

function createSqlKeyValue(store: SqlStore): SqlKeyValue {
  const migrations = inject(Migrations);
  const keyValue = new SqlKeyValue(store, { createTables: migrations.runOnStart });
  migrations.addTables(() => keyValue.createTables());
  inject(Sweeps).add("tenon_key_value", () => keyValue.sweepBatch());
  return keyValue;
}

function createPool(url: string, options: PostgresOptions | undefined, log: Log): PostgresPool {
  return new PostgresPool(url, options, (statement, error) =>
    log.warn({ err: error, statement }, "the outcome of a statement is unknown: it may have been applied"),
  );
}

/** `?` → `$1`, `$2`, …: PostgreSQL numbers its parameters. The statements of `SqlKeyValue` have no other question marks. */
function numberParameters(statement: string): string {
  let number = 0;
  return statement.replaceAll("?", () => `$${++number}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || ("code" in cause ? String(cause.code) : cause.name) : String(cause);
}
