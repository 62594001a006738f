{% const signsTokens = !sessions && !usesSessionSecret; -%}
{% const encrypts = accounts && sessions && !usesSessionSecret; /* second factors, without another secret */ -%}
import { authModule } from "@tenon/auth";
import { defineConfig, defineModule, inject, integer{%= signsTokens || encrypts ? ", readOrCreateSecret, string" : "" %} } from "@tenon/core";
{% if ((accounts || !sessions) && usesSessionSecret) { -%}
import { Config, ConfigModule } from "./config.ts";
{% } -%}
import { DataModule } from "./data.module.ts";
import { UserFinder } from "./users/user-finder.ts";

{% if (signsTokens) { -%}
class AuthConfig extends defineConfig(
  { JWT_SECRET: string("min=32"), BCRYPT_COST: integer("default=12", "min=10", "max=15"), NODE_ENV: string() },
  {
    check({ jwtSecret, nodeEnv }, report) {
      if (nodeEnv !== "production" || jwtSecret !== undefined) return;
      report("JWT_SECRET", "is not set. It takes at least 32 random bytes: openssl rand -base64 32");
    },
  },
) {}
{% } else if (encrypts) { -%}
class AuthConfig extends defineConfig(
  { SECOND_FACTOR_SECRET: string("min=32"), BCRYPT_COST: integer("default=12", "min=10", "max=15"), NODE_ENV: string() },
  {
    check({ secondFactorSecret, nodeEnv }, report) {
      if (nodeEnv !== "production" || secondFactorSecret !== undefined) return;
      report("SECOND_FACTOR_SECRET", "is not set. It takes at least 32 random bytes: openssl rand -base64 32");
    },
  },
) {}
{% } else { -%}
class AuthConfig extends defineConfig({ BCRYPT_COST: integer("default=12", "min=10", "max=15") }) {}
{% } -%}

const AuthConfigModule = defineModule({ name: "auth-config", declarations: [AuthConfig], exports: [AuthConfig] });
const UserFinderModule = defineModule({ name: "user-finder", imports: [DataModule], declarations: [UserFinder], exports: [UserFinder] });

{% if (sessions) { -%}
/** Passwords, sessions and guards. */
{% } else if (usesSessionSecret) { -%}
/** Passwords, sessions, tokens and guards. The secret of the cookies signs the tokens too. */
{% } else { -%}
/** Passwords, tokens and guards. In development the secret is created at the first start and kept in `data`. */
{% } -%}
export const AuthModule = authModule(DataModule, {
{% if (sessions) { -%}
  imports: [{%= accounts && usesSessionSecret ? "ConfigModule, " : "" %}AuthConfigModule, UserFinderModule],
  secret: false, // no tokens: clients log in with a session
{% if (encrypts) { -%}
  secondFactorSecret: () => inject(AuthConfig).secondFactorSecret ?? readOrCreateSecret("data/second-factor-secret"),
{% } else if (accounts) { -%}
  secondFactorSecret: () => inject(Config).readSessionSecret(),
{% } -%}
{% } else if (usesSessionSecret) { -%}
  imports: [ConfigModule, AuthConfigModule, UserFinderModule],
  secret: () => inject(Config).readSessionSecret(),
{% } else { -%}
  imports: [AuthConfigModule, UserFinderModule],
  secret: () => inject(AuthConfig).jwtSecret ?? readOrCreateSecret("data/jwt-secret"),
{% } -%}
  bcryptCost: () => inject(AuthConfig).bcryptCost,
{% if (accounts && !sessions) { -%}
  endTokens: true, // otherwise a token lives on for up to 24 hours after a reset of the password
{% } -%}
  findUser: () => inject(UserFinder).find,
});
