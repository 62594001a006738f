import { randomBytes } from "node:crypto";
import { authModule } from "@tenon/auth";
import { defineConfig, string } from "@tenon/core";
import { DataModule } from "./data.module.ts";

class AuthConfig extends defineConfig({ JWT_SECRET: string("min=32"), NODE_ENV: string() }) {}

/** Signs the tokens. In development it is random: after a restart, users log in again. */
function readSecret(): string {
  const { jwtSecret, nodeEnv } = AuthConfig.read();
  if (jwtSecret !== undefined) return jwtSecret;
  if (nodeEnv !== "production") return randomBytes(32).toString("base64url");
  throw new Error("JWT_SECRET is not set. It takes at least 32 random bytes: openssl rand -base64 32");
}

/** Passwords, tokens and guards. */
export const AuthModule = authModule(DataModule, { secret: readSecret() });
