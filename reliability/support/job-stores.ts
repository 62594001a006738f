import { join } from "node:path";
import { services, withFolder, withPostgres } from "../../packages/data/test/support/services.ts";

export interface JobStoreCase {
  readonly name: "SQLite" | "PostgreSQL";
  /** A database of its own, and a folder for ledgers; both are removed afterwards. */
  with<T>(body: (url: string, folder: string) => Promise<T>): Promise<T>;
}

const sqlite: JobStoreCase = {
  name: "SQLite",
  with: (body) => withFolder((folder) => body(`sqlite:${join(folder, "jobs.db")}`, folder)),
};
const postgres: JobStoreCase = {
  name: "PostgreSQL",
  with: (body) => withFolder((folder) => withPostgres((url) => body(url, folder))),
};

/** The stores that jobs run on: PostgreSQL where it is reachable. */
export const jobStores: readonly JobStoreCase[] = services.postgres === undefined ? [sqlite] : [sqlite, postgres];
