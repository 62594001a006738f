import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { keepFromLoad, pinned } from "./cores.ts";
import { run } from "./load.ts";
import type { OpenLoadOptions, OpenLoadResult } from "./open-load.ts";

/** An open load from a process of its own, on a core of its own. */
export async function loadApart(options: OpenLoadOptions): Promise<OpenLoadResult> {
  const file = fileURLToPath(new URL("./open-load-process.ts", import.meta.url));
  const limit = 1000 * (options.settle + options.seconds + 60);
  return JSON.parse(await run(pinned("load", [process.execPath, file, JSON.stringify(options)]), limit));
}

/** Keeps PostgreSQL's processes for this database off the core of the load. False where they run on another machine. */
export async function keepPostgresFromLoad(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await client.end();
  return keepFromLoad(rows.map(({ pid }) => pid).filter(isPostgres)) && rows.every(({ pid }) => isPostgres(pid));
}

function isPostgres(pid: number): boolean {
  return existsSync(`/proc/${pid}/comm`) && readFileSync(`/proc/${pid}/comm`, "utf8") === "postgres\n";
}
