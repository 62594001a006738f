import { barePostgres } from "./bare-postgres.ts";
import { bareSqlite } from "./bare-sqlite.ts";
import { bullmq } from "./bullmq.ts";
import type { EngineInfo } from "./engine.ts";
import { graphileWorker } from "./graphile-worker.ts";
import { pgBoss } from "./pg-boss.ts";
import { tenonPostgres, tenonSqlite } from "./tenon.ts";

/** Bare statements are a lower limit of the cost and no engine: they lose what a crash interrupts. */
export const engines: readonly EngineInfo[] = [
  bareSqlite,
  tenonSqlite,
  barePostgres,
  tenonPostgres,
  pgBoss,
  graphileWorker,
  bullmq,
];

export function engineOf(name: string): EngineInfo {
  const engine = engines.find((info) => info.name === name);
  if (engine !== undefined) return engine;
  throw new Error(`there is no engine "${name}"`);
}
