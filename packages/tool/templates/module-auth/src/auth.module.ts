{% if (usesSessionSecret) { -%}
import { authModule } from "@tenon/auth";
import { defineConfig, defineModule, inject, integer } from "@tenon/core";
import { Config, ConfigModule } from "./config.ts";
import { DataModule } from "./data.module.ts";

class AuthConfig extends defineConfig({ BCRYPT_COST: integer("default=12", "min=10", "max=15") }) {}

const AuthConfigModule = defineModule({ name: "auth-config", declarations: [AuthConfig], exports: [AuthConfig] });

/** Passwords, sessions, tokens and guards. The secret of the cookies signs the tokens too. */
export const AuthModule = authModule(DataModule, {
  imports: [ConfigModule, AuthConfigModule],
  secret: () => inject(Config).readSessionSecret(),
  bcryptCost: () => inject(AuthConfig).bcryptCost,
});
{% } else { -%}
import { authModule } from "@tenon/auth";
import { defineConfig, defineModule, inject, integer, readOrCreateSecret, string } from "@tenon/core";
import { DataModule } from "./data.module.ts";

class AuthConfig extends defineConfig(
  { JWT_SECRET: string("min=32"), BCRYPT_COST: integer("default=12", "min=10", "max=15"), NODE_ENV: string() },
  {
    check({ jwtSecret, nodeEnv }, report) {
      if (nodeEnv !== "production" || jwtSecret !== undefined) return;
      report("JWT_SECRET", "is not set. It takes at least 32 random bytes: openssl rand -base64 32");
    },
  },
) {}

const AuthConfigModule = defineModule({ name: "auth-config", declarations: [AuthConfig], exports: [AuthConfig] });

/** Passwords, tokens and guards. In development the secret is created at the first start and kept in `data`. */
export const AuthModule = authModule(DataModule, {
  imports: [AuthConfigModule],
  secret: () => inject(AuthConfig).jwtSecret ?? readOrCreateSecret("data/jwt-secret"),
  bcryptCost: () => inject(AuthConfig).bcryptCost,
});
{% } -%}
