import { defineConfig, string } from "@tenon/core";
import { dataModule } from "@tenon/data";

class DataConfig extends defineConfig({ DATABASE_URL: string("default=sqlite:data/app.db"), REDIS_URL: string() }) {}

const { databaseUrl, redisUrl } = DataConfig.readOrExit();

/** The stores that all modules share. Modules add their own migrations with `inject(Migrations).add([…])`. */
export const DataModule = dataModule({
  database: databaseUrl,
  keyValue: redisUrl,
  cache: redisUrl,
  urlNames: { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "REDIS_URL" },
});
