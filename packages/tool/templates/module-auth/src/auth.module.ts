import { authModule } from "@tenon/auth";
import { defineConfig, readOrCreateSecret, string } from "@tenon/core";
import { DataModule } from "./data.module.ts";

class AuthConfig extends defineConfig(
  { JWT_SECRET: string("min=32"), NODE_ENV: string() },
  {
    check({ jwtSecret, nodeEnv }, report) {
      if (nodeEnv !== "production" || jwtSecret !== undefined) return;
      report("JWT_SECRET", "is not set. It takes at least 32 random bytes: openssl rand -base64 32");
    },
  },
) {}

const { jwtSecret } = AuthConfig.readOrExit();

/** Passwords, tokens and guards. In development the secret is created at the first start and kept in `data`. */
export const AuthModule = authModule(DataModule, { secret: jwtSecret ?? readOrCreateSecret("data/jwt-secret") });
