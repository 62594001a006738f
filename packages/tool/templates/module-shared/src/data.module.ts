import { defineConfig, defineModule, inject, literal, string } from "@tenon/core";
import { dataModule } from "@tenon/data";

class DataConfig extends defineConfig({
  DATABASE_URL: string("default=sqlite:data/app.db"),
  DATABASE_POOLER: literal(["transaction"]),
  DATABASE_LISTEN_URL: string(),
  REDIS_URL: string(),
}) {}

const DataConfigModule = defineModule({ name: "data-config", declarations: [DataConfig], exports: [DataConfig] });

/** The stores that all modules share. Modules add their own migrations with `inject(Migrations).add([…])`. */
export const DataModule = dataModule({
  imports: [DataConfigModule],
  database: () => inject(DataConfig).databaseUrl,
  keyValue: () => inject(DataConfig).redisUrl,
  cache: () => inject(DataConfig).redisUrl,
  urlNames: { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "REDIS_URL" },
  postgres: () => ({ pooler: inject(DataConfig).databasePooler, listenUrl: inject(DataConfig).databaseListenUrl }),
});
