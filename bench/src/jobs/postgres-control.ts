import pg from "pg";
import type { EngineControl } from "./engine.ts";

export interface PostgresControlOptions {
  /** Selects the numbers of open jobs as `job`. */
  readonly open: string;
  readonly expireLocks: string;
}

/** Watches an engine by statements of our own, on a connection that is never cut. */
export async function controlPostgres(url: string, options: PostgresControlOptions): Promise<EngineControl> {
  const client = new pg.Client({ connectionString: url, application_name: "bench control" });
  await client.connect();
  return {
    open: async () => (await client.query<{ job: string }>(options.open)).rows.map(({ job }) => Number(job)),
    expireLocks: async () => {
      await client.query(options.expireLocks);
    },
    cutConnections: async () => {
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'bench control'",
      );
    },
    close: () => client.end(),
  };
}
