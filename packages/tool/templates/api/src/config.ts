import { array, defineConfig, defineModule, integer, literal, string } from "@tenon/core";

/** Every environment variable of the application. In development, the file `.env` may set them too. */
export class Config extends defineConfig({
  PORT: integer("default=8080", "min=0", "max=65535"),
  HOST: string("default=127.0.0.1"),
  DATABASE_URL: string("default=sqlite:data/app.db", "pattern=^(sqlite:.|postgres(ql)?://[^/?#])")
    .example("sqlite:<file>")
    .example("postgres://user@host/name"),
  DATABASE_POOLER: literal(["transaction"]),
  DATABASE_LISTEN_URL: string("pattern=^postgres(ql)?://[^/?#]").example("postgres://user@host/name"),
  REDIS_URL: string("pattern=^rediss?://[^/?#]").example("redis://host:port"),
  TRUSTED_PROXIES: array(string("pattern=^[0-9a-fA-F.:]+(/[0-9]{1,3})?$")).example(["10.0.0.0/8", "::1"]),
}) {}

/** A module whose classes or options inject `Config` imports it. */
export const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });
