import { isIP } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSecretProblem } from "@tenon/auth";
import { array, boolean, defineConfig, defineModule, integer, literal, string } from "@tenon/core";
import { defineJob, schedule } from "@tenon/jobs";
import { toSigningSecret } from "./jwt-secret.ts";

const dataFolder = fileURLToPath(new URL("../data/", import.meta.url));
const defaultSender = "Workbench <no-reply@example.com>";

export class Config extends defineConfig(
  {
    DATABASE_URL: string(`default=sqlite:${join(dataFolder, "blog.db")}`, "pattern=^(sqlite:.|postgres(ql)?://[^/?#])")
      .example("sqlite:<file>")
      .example("postgres://user@host/name"),
    DATABASE_POOLER: literal(["transaction"]),
    DATABASE_LISTEN_URL: string("pattern=^postgres(ql)?://[^/?#]").example("postgres://user@host/name"),
    REDIS_URL: string("pattern=^rediss?://[^/?#]").example("redis://host:port"),
    LOGIN_RATE_LIMIT: boolean("default=true"),
    TRUSTED_PROXIES: array(string()),
    PORT: integer("default=8080", "min=0", "max=65535"),
    HOST: string("default=127.0.0.1"),
    BCRYPT_COST: integer("default=14", "min=10", "max=15"),
    JWT_SECRET: string(),
    MAIL_URL: string(`default=file:${join(dataFolder, "mail")}`, "pattern=^(smtps?://[^/?#]|file:.|memory:$)")
      .example("smtp://user:password@host:587")
      .example("file:<folder>"),
    MAIL_FROM: string(`default=${defaultSender}`).example("Blog <blog@example.com>"),
    BASE_URL: string("pattern=^https?://[^/?#]").example("https://blog.example.com"),
    BACKUP_SCHEDULE: string().example("0 2 * * *"),
    BACKUP_FOLDER: string(`default=${join(dataFolder, "backups")}`),
    METRICS_TOKEN: string("min=16"),
    NODE_ENV: string(),
  },
  {
    check(values, report) {
      const { databaseUrl = "", redisUrl, trustedProxies = [], jwtSecret, mailUrl, mailFrom, nodeEnv } = values;
      const { backupSchedule } = values;
      for (const range of trustedProxies.filter((text) => !isRange(text))) {
        report(
          "TRUSTED_PROXIES",
          `has "${range}". It takes addresses and CIDR ranges, such as 10.0.0.0/8, with commas between.`,
        );
      }
      if (backupSchedule !== undefined && !isPattern(backupSchedule)) {
        report("BACKUP_SCHEDULE", 'is not a cron pattern in UTC, such as "0 2 * * *".');
      }
      const sends = nodeEnv === "production" && mailUrl?.startsWith("smtp");
      if (sends && mailFrom === defaultSender) {
        report("MAIL_FROM", "is not set. It takes the sender of every mail, such as Blog <blog@example.com>.");
      }
      const isShared = databaseUrl.startsWith("postgres") || redisUrl !== undefined || nodeEnv === "production";
      const problem = jwtSecret === undefined ? undefined : findSecretProblem(jwtSecret, nodeEnv === "production");
      if (problem !== undefined) report("JWT_SECRET", problem);
      else if (jwtSecret === undefined && isShared) {
        report("JWT_SECRET", "is empty. Set it to at least 32 random bytes: every instance needs the same one.");
      }
    },
  },
) {
  readonly #signing = toSigningSecret(this.jwtSecret, this.databaseUrl);

  /** `jwtSecret`; without one, the secret next to the SQLite file. */
  get signingSecret(): string {
    return this.#signing.jwtSecret;
  }

  /** Where users reach the pages: `baseUrl`; without it, which production refuses, the port on this machine. */
  get pagesUrl(): string | undefined {
    return this.baseUrl ?? (this.nodeEnv === "production" ? undefined : `http://127.0.0.1:${this.port}`);
  }

  /** Logged once the application has a log. */
  get warnings(): readonly string[] {
    return this.#signing.warnings;
  }
}

export const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });

function isPattern(text: string): boolean {
  try {
    schedule(text, defineJob("any"));
    return true;
  } catch {
    return false;
  }
}

function isRange(text: string): boolean {
  const [, address = "", bits = "0"] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}
