import { isIP } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSecretFault } from "@tenon/auth";
import { array, boolean, type ConfigSources, defineConfig, integer, string } from "@tenon/core";
import { schedule } from "@tenon/jobs";
import { toSigningSecret } from "./jwt-secret.ts";
import { PurgeExpired } from "./maintenance/maintenance.jobs.ts";

const dataFolder = fileURLToPath(new URL("../data/", import.meta.url));

class Variables extends defineConfig(
  {
    DATABASE_URL: string(`default=sqlite:${join(dataFolder, "blog.db")}`, "pattern=^(sqlite:.|postgres(ql)?://[^/?#])")
      .example("sqlite:<file>")
      .example("postgres://user@host/name"),
    REDIS_URL: string("pattern=^rediss?://[^/?#]").example("redis://host:port"),
    LOGIN_RATE_LIMIT: boolean("default=true"),
    TRUSTED_PROXIES: array(string()),
    PORT: integer("required", "min=0", "max=65535"),
    HOST: string("default=127.0.0.1"),
    BCRYPT_COST: integer("required", "min=10", "max=15"),
    JWT_SECRET: string(),
    BACKUP_SCHEDULE: string().example("0 2 * * *"),
    BACKUP_FOLDER: string(`default=${join(dataFolder, "backups")}`),
    METRICS_TOKEN: string("min=16"),
    NODE_ENV: string(),
  },
  {
    check({ databaseUrl = "", redisUrl, trustedProxies = [], jwtSecret, nodeEnv, backupSchedule }, report) {
      for (const range of trustedProxies.filter((text) => !isRange(text))) {
        report(
          "TRUSTED_PROXIES",
          `has "${range}". It takes addresses and CIDR ranges, such as 10.0.0.0/8, with commas between.`,
        );
      }
      if (backupSchedule !== undefined && !isPattern(backupSchedule)) {
        report("BACKUP_SCHEDULE", 'is no cron pattern in UTC, such as "0 2 * * *".');
      }
      const isShared = databaseUrl.startsWith("postgres") || redisUrl !== undefined || nodeEnv === "production";
      const fault = jwtSecret === undefined ? undefined : findSecretFault(jwtSecret);
      if (fault !== undefined) report("JWT_SECRET", fault);
      else if (jwtSecret === undefined && isShared) {
        report("JWT_SECRET", "is empty. Set it to at least 32 random bytes: every instance needs the same one.");
      }
    },
  },
) {
  readonly signing = toSigningSecret(this.jwtSecret, this.databaseUrl);
}

type Sources = ConfigSources<"PORT" | "HOST">;
export type ConfigFlags = Sources["flags"];

export interface ConfigDefaults {
  readonly bcryptCost: number;
  /** Defaults to 8080. */
  readonly port?: number;
}

export interface Config
  extends Pick<
    Variables,
    | "port"
    | "host"
    | "databaseUrl"
    | "redisUrl"
    | "bcryptCost"
    | "trustedProxies"
    | "backupSchedule"
    | "backupFolder"
    | "metricsToken"
  > {
  readonly jwtSecret: string;
  readonly loginLimit: boolean;
  /** Whether NODE_ENV is `development`, as under `tenon dev`. */
  readonly devtools: boolean;
  /** Logged once the application has a log. */
  readonly warnings: readonly string[];
}

/** Reports all bad values at once, as one StartError. */
export function readConfig(defaults: ConfigDefaults, env: NodeJS.Dict<string>): Config {
  return toConfig(Variables.read({ ...toSources(defaults), env }));
}

/** For the entry points: reads the environment; a bad value stops the start with a message that names it. */
export function readConfigOrExit(defaults: ConfigDefaults, flags: ConfigFlags = {}): Config {
  return toConfig(Variables.readOrExit({ ...toSources(defaults), flags }));
}

function toSources({ bcryptCost, port = 8080 }: ConfigDefaults) {
  return { defaults: { BCRYPT_COST: String(bcryptCost), PORT: String(port) } };
}

function toConfig({ signing, loginRateLimit: loginLimit, nodeEnv, ...others }: Variables): Config {
  return { ...others, loginLimit, devtools: nodeEnv === "development", ...signing };
}

function isPattern(text: string): boolean {
  try {
    schedule(text, PurgeExpired);
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
