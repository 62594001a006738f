import { isIP } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSecretFault } from "@tenon/auth";
import { type Problem, StartError } from "@tenon/core";
import { readOrCreateSecret, secretFileFor } from "./jwt-secret.ts";

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string;
  /** Undefined: sessions, tokens and limits are stored in the database. */
  readonly redisUrl: string | undefined;
  readonly jwtSecret: string;
  readonly bcryptCost: number;
  readonly loginLimit: boolean;
  /** Addresses and CIDR ranges whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Logged once the application has a log. */
  readonly warnings: readonly string[];
}

export interface ConfigDefaults {
  readonly bcryptCost: number;
  /** Defaults to 8080. */
  readonly port?: number;
}

const dataFolder = fileURLToPath(new URL("../data/", import.meta.url));
const shortSecret = 32;

/** The only reader of the environment. Reports all bad values at once. */
export function readConfig(defaults: ConfigDefaults, env: NodeJS.ProcessEnv = process.env): Config {
  const problems: Problem[] = [];
  const report = (message: string) => problems.push({ code: "BAD_ENVIRONMENT", message });
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const text = env[name] || String(fallback);
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      report(`${name} is "${text}". It takes a whole number from ${min} to ${max}.`);
    }
    return value;
  };

  const databaseUrl = env.DATABASE_URL || `sqlite:${join(dataFolder, "blog.db")}`;
  const onPostgres = isServerUrl(databaseUrl, ["postgres:", "postgresql:"]);
  if (!onPostgres && !/^sqlite:./.test(databaseUrl)) {
    report("DATABASE_URL takes sqlite:<file> or postgres://user@host/name.");
  }
  const redisUrl = env.REDIS_URL || undefined;
  if (redisUrl !== undefined && !isServerUrl(redisUrl, ["redis:", "rediss:"])) {
    report("REDIS_URL takes redis://host:port.");
  }
  const limit = env.LOGIN_RATE_LIMIT || "on";
  if (limit !== "on" && limit !== "off") report(`LOGIN_RATE_LIMIT is "${limit}". It takes on or off.`);
  const trustedProxies = (env.TRUSTED_PROXIES || "").split(",").flatMap((range) => range.trim() || []);
  for (const range of trustedProxies.filter((text) => !isRange(text))) {
    report(
      `TRUSTED_PROXIES has "${range}". It takes addresses and CIDR ranges, such as 10.0.0.0/8, with commas between.`,
    );
  }
  const port = integer("PORT", defaults.port ?? 8080, 0, 65_535);
  const bcryptCost = integer("BCRYPT_COST", defaults.bcryptCost, 10, 15);

  const warnings: string[] = [];
  let jwtSecret = env.JWT_SECRET ?? "";
  const mayCreateSecret = !onPostgres && redisUrl === undefined && env.NODE_ENV !== "production";
  const fault = findSecretFault(jwtSecret);
  if (jwtSecret === "" && mayCreateSecret) {
    const file = secretFileFor(databaseUrl);
    const place = file ?? "memory, lost at the next start";
    warnings.push(`JWT_SECRET is not set: tokens are signed with the secret in ${place}`);
    try {
      if (problems.length === 0) jwtSecret = readOrCreateSecret(file);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      report(`JWT_SECRET is not set, and none can be stored in ${place}: ${reason}`);
    }
  } else if (jwtSecret === "") {
    report("JWT_SECRET is empty. Set it to at least 32 random bytes: every instance needs the same one.");
  } else if (fault !== undefined) {
    report(`JWT_SECRET ${fault}`);
  }
  if (jwtSecret !== "" && Buffer.byteLength(jwtSecret) < shortSecret) {
    warnings.push(`JWT_SECRET has fewer than ${shortSecret} bytes and can be guessed`);
  }
  if (problems.length > 0) throw new StartError(problems);
  return {
    port,
    host: env.HOST || "127.0.0.1",
    databaseUrl,
    redisUrl,
    jwtSecret,
    bcryptCost,
    loginLimit: limit === "on",
    trustedProxies,
    warnings,
  };
}

/** A URL with a host, which the stores require. */
function isServerUrl(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== "";
}

function isRange(text: string): boolean {
  const [, address = "", bits = "0"] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** For the entry points: a bad value stops the start with a message that names it. */
export function readConfigOrExit(defaults: ConfigDefaults): Config {
  try {
    return readConfig(defaults);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`Cannot start: ${error.message}\n`);
    process.exit(1);
  }
}
