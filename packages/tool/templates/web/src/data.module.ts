import { dataModule } from "@tenon/data";
import { Config } from "./config.ts";

const { databaseUrl, redisUrl } = Config.readOrExit();

/** The stores that all modules share. Modules add their own migrations with `inject(Migrations).add([…])`. */
export const DataModule = dataModule({
  database: databaseUrl,
  keyValue: redisUrl,
  cache: redisUrl,
  urlNames: { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "REDIS_URL" },
  migrations: [],
});
