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
export { Cache } from "./cache/cache.ts";
export { type DataOptions, dataModule } from "./data-module.ts";
export { afterCommit } from "./database/after-commit.ts";
export { autoIncrement, isUuid, now } from "./database/columns.ts";
export { DatabaseCommands } from "./database/database.commands.ts";
export { type AnyDatabase, Database } from "./database/database.ts";
export { migrate } from "./database/migrate.ts";
export type { Migration } from "./database/migration.ts";
export { Migrations } from "./database/migrations.ts";
export { isInvalidValue } from "./database/postgres-errors.ts";
export { PreparedQuery } from "./database/prepared-query.ts";
export { type Seed, Seeds } from "./database/seeds.ts";
export { Health, type HealthCheck, HealthController, type HealthReport } from "./health.ts";
export { DatabaseKeyValue, KeyValue, type SetOptions } from "./key-value/key-value.ts";
export { MemoryKeyValue } from "./key-value/memory.ts";
export { PageQuery, page } from "./pagination/page.ts";
export { type Page, type PageOptions, paginate } from "./pagination/paginate.ts";
export { type RowStream, type StreamOptions, streamRows } from "./pagination/stream-rows.ts";
export { RefuseWhenBusy } from "./refuse-when-busy.ts";
export { rejectDuplicates } from "./reject-duplicates.ts";
export { type Row, toRow } from "./row.ts";
export { type SharedPostgres, type SharedRedis, SharedStore } from "./shared/shared-store.ts";
export { isUniqueViolation, StoreError } from "./store-error.ts";
export { storeGuarantees } from "./store-guarantees.ts";
export { runInBatches } from "./support/batches.ts";
export { Sweeps } from "./sweeps.ts";
export type { TracedRedis, TracedSql } from "./tracing.ts";
