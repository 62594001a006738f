import { inject } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { Config, ConfigModule } from "./config.ts";

/** The stores that all modules share. Modules add their own migrations with `inject(Migrations).add([…])`. */
export const DataModule = dataModule({
  imports: [ConfigModule],
  database: () => inject(Config).databaseUrl,
  keyValue: () => inject(Config).redisUrl,
  cache: () => inject(Config).redisUrl,
  urlNames: { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "REDIS_URL" },
  postgres: () => ({ pooler: inject(Config).databasePooler, listenUrl: inject(Config).databaseListenUrl }),
  redis: { prefix: "my-app:" }, // of all keys: another application on this Redis needs another one
  migrations: [],
});
