import type { Database } from "./database.ts";
import type { MigrationSource } from "./migration.ts";
import { Migrations } from "./migrations.ts";

/** Runs the migrations that have not run yet, each in its own transaction. Safe when several instances start together. */
export function migrate<Schema>(db: Database<Schema>, source: MigrationSource): Promise<string[]> {
  const handle = db as unknown as Database; // the schema's type does not matter here
  return new Migrations(handle, source).up();
}
