import type { OnStart } from "@tenon/core";
import { sql, type Transaction } from "kysely";
import { StoreError } from "../store-error.ts";
import type { Database } from "./database.ts";
import { loadMigrations, type Migration, type MigrationSource } from "./migration.ts";
import { MissingTable } from "./missing-table.ts";
import { isBusy } from "./sqlite-errors.ts";

export interface MigrationStatus {
  readonly name: string;
  /** `unknown`: it has run, but is not in the list. */
  readonly state: "applied" | "pending" | "unknown";
  /** When it ran, in ISO format; null while it is pending. */
  readonly ranAt: string | null;
}

export interface MigrationsOptions {
  /** Whether pending migrations run when the application starts. Defaults to true. */
  readonly runOnStart?: boolean;
}

export interface DownOptions {
  /** The migration that stays the last one applied. Without it only the last one is reverted. */
  readonly to?: string;
}

const table = "tenon_migrations";
const lockId = 7_236_411;
/** Milliseconds to wait for another instance's migration. */
const lockTimeout = 60_000;

/** The migrations of a database. Each runs once, in its own transaction; several instances may start together. */
export class Migrations implements OnStart {
  readonly #db: Database;
  readonly #sources: MigrationSource[];
  /** Whether pending migrations run when the application starts. */
  readonly runOnStart: boolean;
  readonly #tables: (() => Promise<void>)[] = [];
  #ranOnStart: readonly string[] = [];

  constructor(db: Database, source?: MigrationSource, options: MigrationsOptions = {}) {
    this.#db = db;
    this.#sources = source === undefined ? [] : [source];
    this.runOnStart = options.runOnStart ?? true;
  }

  /** The names of the migrations that this start has run. */
  get ranOnStart(): readonly string[] {
    return this.#ranOnStart;
  }

  /** Adds the migrations of one module after those added before. Call it in a constructor: they run when the stores start. */
  add(source: MigrationSource): void {
    this.#sources.push(source);
  }

  /**
   * Adds a function that creates the tables of a store where they are missing. Without `runOnStart`, `up()` calls it; else
   * the store does so at its start.
   */
  addTables(create: () => Promise<void>): void {
    this.#tables.push(create);
  }

  async onStart(): Promise<void> {
    if (this.runOnStart && this.#sources.length > 0) this.#ranOnStart = await this.up();
  }

  /** Every migration of the list in its order, then those that only the database knows. */
  async status(): Promise<MigrationStatus[]> {
    const migrations = await loadMigrations(this.#sources);
    const applied = await this.#readApplied();
    const known = migrations.map(({ name }): MigrationStatus => {
      const ranAt = applied.get(name) ?? null;
      applied.delete(name);
      return { name, state: ranAt === null ? "pending" : "applied", ranAt };
    });
    return [...known, ...[...applied].map(([name, ranAt]) => ({ name, state: "unknown" as const, ranAt }))];
  }

  /** Runs the pending migrations in order. Returns the names of those that this call ran. */
  async up(): Promise<string[]> {
    const migrations = await loadMigrations(this.#sources);
    if (!this.runOnStart) for (const create of this.#tables) await create();
    const applied = await this.#readApplied();
    const pending = migrations.filter(({ name }) => !applied.has(name));
    return this.#runEach(pending, (db, migration) => this.#runUp(db, migration));
  }

  /** Reverts the last applied migration, or all after `to`, the newest first. Reverts none when one of them has no `down()`. */
  async down({ to }: DownOptions = {}): Promise<string[]> {
    const migrations = await loadMigrations(this.#sources);
    const applied = await this.#readApplied();
    const keep = to === undefined ? undefined : findKept(migrations, applied, to);
    const last = migrations.filter(({ name }) => applied.has(name)).reverse();
    const chosen = keep === undefined ? last.slice(0, 1) : last.slice(0, last.indexOf(keep));
    const fixed = chosen.find((migration) => migration.down === undefined);
    if (fixed !== undefined) {
      throw new Error(
        `migration "${fixed.name}" has no down(), so nothing was reverted. Add one, or restore a backup.`,
      );
    }
    return this.#runEach(chosen, (db, migration) => this.#runDown(db, migration));
  }

  /** Empty without the table, which the first migration creates. */
  async #readApplied(): Promise<Map<string, string>> {
    try {
      const { rows } = await sql<{ name: string; ran_at: string }>`
        select name, ran_at from ${sql.table(table)} order by ran_at, name`.execute(this.#db);
      return new Map(rows.map(({ name, ran_at }) => [name, ran_at]));
    } catch (error) {
      if (isMissingTable(error)) return new Map();
      throw error;
    }
  }

  /**
   * On a connection of its own without a timeout of statements: an index of a large table takes minutes, for which other
   * instances wait. Returns the names of those that were run.
   */
  async #runEach(
    migrations: readonly Migration[],
    run: (db: Database, migration: Migration) => Promise<boolean>,
  ): Promise<string[]> {
    if (migrations.length === 0) return [];
    const reserved = this.#db.reserve(1, 0);
    const ran: string[] = [];
    try {
      for (const migration of migrations) {
        if (await retryWhileLocked(() => run(reserved ?? this.#db, migration))) ran.push(migration.name);
      }
    } finally {
      await reserved?.destroy();
    }
    return ran;
  }

  #runUp(db: Database, migration: Migration): Promise<boolean> {
    const { name } = migration;
    return this.#locked(db, async (transaction) => {
      await transaction.schema
        .createTable(table)
        .ifNotExists()
        .addColumn("name", "text", (column) => column.primaryKey())
        .addColumn("ran_at", "text", (column) => column.notNull())
        .execute();
      if (await isRecorded(transaction, name)) return false;
      await attempt(`migration "${name}"`, () => {
        if (migration.draft) throw new Error('it is a draft. Complete it, then remove "draft" from it.');
        return migration.up(transaction);
      });
      const ranAt = new Date().toISOString();
      await sql`insert into ${sql.table(table)} (name, ran_at) values (${name}, ${ranAt})`.execute(transaction);
      return true;
    });
  }

  #runDown(db: Database, migration: Migration): Promise<boolean> {
    const { name } = migration;
    return this.#locked(db, async (transaction) => {
      if (!(await isRecorded(transaction, name))) return false; // another instance has reverted it
      await attempt(`the down() of migration "${name}"`, async () => migration.down?.(transaction));
      await sql`delete from ${sql.table(table)} where name = ${name}`.execute(transaction);
      return true;
    });
  }

  /** One instance at a time. PostgreSQL lets two race even inside CREATE TABLE IF NOT EXISTS. */
  #locked<T>(db: Database, run: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return db.transaction().execute(async (transaction) => {
      // on SQLite the transaction itself holds the write lock
      if (db.kind === "postgres") await sql`select pg_advisory_xact_lock(${lockId})`.execute(transaction);
      return run(transaction);
    });
  }
}

function findKept(migrations: readonly Migration[], applied: ReadonlyMap<string, string>, to: string): Migration {
  const kept = migrations.find(({ name }) => name === to);
  if (kept !== undefined && applied.has(to)) return kept;
  const names = migrations.flatMap(({ name }) => (applied.has(name) ? [`"${name}"`] : [])).join(", ") || "none";
  throw new Error(`"${to}" is not an applied migration, so nothing was reverted. Applied: ${names}.`);
}

async function isRecorded(transaction: Transaction<unknown>, name: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} where name = ${name}`.execute(transaction);
  return rows.length > 0;
}

function isMissingTable(error: unknown): error is StoreError & { readonly cause: MissingTable } {
  return error instanceof StoreError && error.cause instanceof MissingTable;
}

async function attempt(what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`${what} failed and was rolled back: ${describe(error)}`, {
      cause: isMissingTable(error) ? error.cause.cause : error, // not the hint to run migrations
    });
  }
}

/** Another instance may run a migration for longer than the store waits for a lock. */
async function retryWhileLocked<T>(run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + lockTimeout;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const locked = error instanceof StoreError && isBusy(error.cause);
      if (!locked || performance.now() > deadline) throw error;
    }
  }
}

/** The driver's message: the store's own is made for clients and does not help the author of a migration. */
function describe(error: unknown): string {
  if (isMissingTable(error)) return describe(error.cause);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
