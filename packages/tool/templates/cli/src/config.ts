import { defineConfig, defineModule, string } from "@tenon/core";

/** Every environment variable of the application. In development, the file `.env` may set them too. */
export class Config extends defineConfig({
  DATABASE_URL: string("default=sqlite:data/app.db"),
  REDIS_URL: string(),
}) {}

/** A module whose classes inject `Config` imports it. */
export const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });
