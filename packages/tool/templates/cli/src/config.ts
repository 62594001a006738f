import { defineConfig, defineModule, literal, string } from "@tenon/core";

/** Every environment variable of the application. In development, the file `.env` may set them too. */
export class Config extends defineConfig({
  DATABASE_URL: string("default=sqlite:data/app.db", "pattern=^(sqlite:.|postgres(ql)?://[^/?#])")
    .example("sqlite:<file>")
    .example("postgres://user@host/name"),
  DATABASE_POOLER: literal(["transaction"]),
  DATABASE_LISTEN_URL: string("pattern=^postgres(ql)?://[^/?#]").example("postgres://user@host/name"),
  REDIS_URL: string("pattern=^rediss?://[^/?#]").example("redis://host:port"),
}) {}

/** A module whose classes or options inject `Config` imports it. */
export const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });
