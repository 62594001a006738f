import { defineConfig, defineModule, integer, string } from "@tenon/core";

/** Every environment variable of the application. In development, the file `.env` may set them too. */
export class Config extends defineConfig({
  PORT: integer("default=8080", "min=0", "max=65535"),
  HOST: string("default=127.0.0.1"),
  DATABASE_URL: string("default=sqlite:data/app.db"),
  REDIS_URL: string(),
}) {}

/** A module whose classes inject `Config` imports it. */
export const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });

/** For the entry point. Flags take precedence over variables: `npm start -- --port=3000`, or PORT=3000. */
export function readConfig(): Config {
  return Config.readOrExit({ flags: ["PORT", "HOST"] });
}
