import { readdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { sql, type Transaction } from "kysely";
import { StoreError } from "../store-error.ts";
import type { Database } from "./database.ts";
import { isBusy } from "./sqlite-errors.ts";

export interface Migration {
  /** Recorded in the store, so it must never change. Migrations run in the order of the list. */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a migration sees tables that no current schema type describes
  up(db: Transaction<any>): Promise<unknown>;
}

/** A list of migrations, or a folder of files that each export `up`, in the order of their names. */
export type MigrationSource = readonly Migration[] | { readonly folder: string | URL };

const table = "tenon_migrations";
const lockId = 7_236_411;
/** Milliseconds to wait for another instance's migration. */
const lockTimeout = 60_000;

/** Runs the migrations that have not run yet, each in its own transaction. Safe when several instances start together. */
export async function migrate<Schema>(db: Database<Schema>, source: MigrationSource): Promise<string[]> {
  const handle = db as unknown as Database; // the schema's type does not matter here
  const migrations = "folder" in source ? await readFolder(source.folder) : source;
  checkNames(migrations);
  await retryWhileLocked(() => locked(handle, createTable));
  const ran: string[] = [];
  for (const migration of migrations) {
    if (await retryWhileLocked(() => runOnce(handle, migration))) ran.push(migration.name);
  }
  return ran;
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

/** One instance at a time. PostgreSQL lets two race even inside CREATE TABLE IF NOT EXISTS. */
function locked<T>(db: Database, run: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    // on SQLite the transaction itself holds the write lock
    if (db.kind === "postgres") await sql`select pg_advisory_xact_lock(${lockId})`.execute(transaction);
    return run(transaction);
  });
}

async function createTable(transaction: Transaction<unknown>): Promise<void> {
  await transaction.schema
    .createTable(table)
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("ran_at", "text", (column) => column.notNull())
    .execute();
}

function runOnce(db: Database, migration: Migration): Promise<boolean> {
  return locked(db, async (transaction) => {
    const known = await sql`select 1 from ${sql.table(table)} where name = ${migration.name}`.execute(transaction);
    if (known.rows.length > 0) return false;
    try {
      await migration.up(transaction);
    } catch (error) {
      throw new Error(`migration "${migration.name}" failed and was rolled back: ${describe(error)}`, { cause: error });
    }
    await sql`insert into ${sql.table(table)} (name, ran_at) values (${migration.name}, ${new Date().toISOString()})`.execute(
      transaction,
    );
    return true;
  });
}

async function readFolder(folder: string | URL): Promise<Migration[]> {
  const base = typeof folder === "string" ? pathToFileURL(`${folder}/`) : folder;
  const names = (await readdir(base)).filter((name) => /\.(?:ts|js|mts|mjs)$/.test(name) && !name.endsWith(".d.ts"));
  return Promise.all(
    names.sort().map(async (file) => {
      const loaded: unknown = await import(new URL(file, base).href);
      if (!isMigrationFile(loaded)) throw new Error(`${file} is not a migration: it does not export a function "up"`);
      return { name: file.replace(/\.\w+$/, ""), up: loaded.up };
    }),
  );
}

function isMigrationFile(value: unknown): value is Pick<Migration, "up"> {
  return typeof value === "object" && value !== null && "up" in value && typeof value.up === "function";
}

function checkNames(migrations: readonly Migration[]): void {
  const seen = new Set<string>();
  for (const { name } of migrations) {
    if (seen.has(name)) throw new Error(`two migrations are named "${name}"`);
    seen.add(name);
  }
}

/** The driver's message: the store's own is made for clients and does not help the author of a migration. */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
