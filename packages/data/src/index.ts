export type {
  ColumnType,
  Expression,
  ExpressionBuilder,
  Generated,
  Insertable,
  Kysely,
  Selectable,
  SelectQueryBuilder,
  Transaction,
  Updateable,
} from "kysely";
export { sql } from "kysely";
export { Cache, type CacheOptions, type CacheStore } from "./cache/cache.ts";
export { type MemoryCacheOptions, MemoryCacheStore } from "./cache/memory.ts";
export { type DataOptions, dataModule } from "./data-module.ts";
export { afterCommit } from "./database/after-commit.ts";
export { autoIncrement, now } from "./database/columns.ts";
export { DatabaseCommands } from "./database/database.commands.ts";
export { Database } from "./database/database.ts";
export {
  type JsonExpression,
  jsonArrayFrom,
  jsonBuildObject,
  jsonObjectFrom,
  type Subquery,
} from "./database/json-helpers.ts";
export { migrate } from "./database/migrate.ts";
export type { Migration, MigrationSource } from "./database/migration.ts";
export {
  type DownOptions,
  type MigrationStatus,
  Migrations,
  type MigrationsOptions,
} from "./database/migrations.ts";
export type { PostgresOptions } from "./database/postgres-pool.ts";
export { type Seed, type SeedOptions, Seeds } from "./database/seeds.ts";
export type { SqliteOptions } from "./database/sqlite-file.ts";
export { Health, type HealthCheck, HealthController, type HealthReport } from "./health.ts";
export { KeyValue, type SetOptions } from "./key-value/key-value.ts";
export { MemoryKeyValue, type MemoryOptions } from "./key-value/memory.ts";
export type { NotificationListener } from "./listener.ts";
export type { RedisOptions } from "./redis-connection.ts";
export { type DuplicateOptions, rejectDuplicates } from "./reject-duplicates.ts";
export { type SharedPostgres, type SharedRedis, SharedStore } from "./shared-store.ts";
export type { RedisSignal, SqlSignal } from "./signals.ts";
export type { StoreEntry } from "./store-entry.ts";
export { type ConstraintKind, isUniqueViolation, type StoreCode, StoreError } from "./store-error.ts";
export { type UseDatabaseOptions, useDatabase } from "./use-database.ts";
