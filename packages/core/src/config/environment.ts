import { randomBytes } from "node:crypto";
import { type LogLevel, logLevels } from "../log/log.ts";
import { type Problem, StartError } from "../support/errors.ts";
import { readEnvFile } from "./env-file.ts";

const oldestNode = 24;

/** More processes than the largest machines have cores: a mistyped number must not exhaust the memory of a machine. */
export const maxWorkers = 256;

export interface Environment {
  /** Undefined when LOG_LEVEL is not set: each caller has its own default. */
  readonly logLevel: LogLevel | undefined;
  readonly production: boolean;
  /** Whether this is a process of node:test. */
  readonly test: boolean;
  /** Whether colours are written; undefined for terminals only. */
  readonly color: boolean | undefined;
  /** Undefined when HTTP_ENGINE is not set. */
  readonly engine: "wire" | "node" | undefined;
  /** Undefined when WORKERS is not set. */
  readonly workers: number | "all" | undefined;
  /** The number of this worker; undefined in a process that is not a worker. */
  readonly worker: number | undefined;
  /** Whether the application is to describe itself to the process that started it, and not to run. */
  readonly describe: boolean;
  /** Whether the process was started for development: by `tenon dev`, or with TENON_DEV=1. Undefined in production. */
  readonly dev: "start" | "restart" | undefined;
  /** The editor that the developer page links to. Undefined when TENON_EDITOR is not set. */
  readonly editor: string | undefined;
  /** The variables that begin with OTEL_ and are not empty: OpenTelemetry defines them. */
  readonly otel: Readonly<Record<string, string>>;
}

/**
 * The only reader of process.env in the framework. An application declares its own variables with `defineConfig()`,
 * which gets them here. In development `.env` of the working directory adds variables that are not set; in production it
 * is not read, because a forgotten file would decide what the service does, nor in a test, which the file of each developer would
 * change.
 */
export function readVariables(env: NodeJS.Dict<string> = process.env): NodeJS.Dict<string> {
  return hasEnvFile(env) ? { ...readEnvFile(".env"), ...env } : env;
}

/** Whether `.env` is read. */
export function hasEnvFile(env: NodeJS.Dict<string>): boolean {
  return !isProduction(env) && env.TENON_TEST !== String(process.pid);
}

/** Ignores `.env` for the rest of this process; a child process inherits the variable and has another id. */
export function ignoreEnvFile(env: NodeJS.Dict<string> = process.env): void {
  env.TENON_TEST = String(process.pid);
}

function isProduction({ NODE_ENV }: NodeJS.Dict<string>): boolean {
  return NODE_ENV === "production";
}

/**
 * The secret by which an application that was started for development recognises its developer; undefined for others.
 * `tenon dev` sets it, so that it survives a restart; else it is created once in a process, and its workers inherit it.
 */
export function readDeveloperSecret(
  { dev }: Pick<Environment, "dev">,
  env: NodeJS.Dict<string> = process.env,
): string | undefined {
  if (dev === undefined) return undefined;
  env.TENON_DEV_SECRET ||= randomBytes(32).toString("base64url");
  return env.TENON_DEV_SECRET;
}

/** Whether the process was started for development: by `tenon dev`, or with TENON_DEV=1. */
export function isDevelopment(env: NodeJS.Dict<string> = readVariables()): boolean {
  return !isProduction(env) && !!env.TENON_DEV;
}

/** The framework's own variables. With `problems`, what is wrong is added there, to be reported with others, and not thrown. */
export function readEnvironment(
  env: NodeJS.Dict<string> = readVariables(),
  version: string = process.versions.node,
  problems?: Problem[],
): Environment {
  const found: Problem[] = [];
  const report = (message: string) => found.push({ code: "BAD_ENVIRONMENT", message });
  if (Number.parseInt(version, 10) < oldestNode) {
    report(`Tenon needs Node ${oldestNode} or newer, this is ${version}.`);
  }
  const { LOG_LEVEL, HTTP_ENGINE, WORKERS, TENON_WORKER, TENON_DESCRIBE, NODE_TEST_CONTEXT } = env;
  const { TENON_DEV, TENON_DEV_SECRET, TENON_EDITOR } = env;
  const logLevel = logLevels.find((level) => level === LOG_LEVEL);
  if (LOG_LEVEL && logLevel === undefined) {
    report(`LOG_LEVEL is ${JSON.stringify(LOG_LEVEL)}. Use one of: ${logLevels.join(", ")}.`);
  }
  const engine = HTTP_ENGINE === "wire" || HTTP_ENGINE === "node" ? HTTP_ENGINE : undefined;
  if (HTTP_ENGINE && engine === undefined) {
    report(`HTTP_ENGINE is ${JSON.stringify(HTTP_ENGINE)}. Use one of: wire, node.`);
  }
  const workers = WORKERS === "all" ? WORKERS : WORKERS ? Number(WORKERS) : undefined;
  if (typeof workers === "number" && !(/^[1-9][0-9]*$/.test(WORKERS ?? "") && workers <= maxWorkers)) {
    report(`WORKERS is ${JSON.stringify(WORKERS)}. It takes a whole number from 1 to ${maxWorkers}, or all.`);
  }
  if (TENON_DEV_SECRET && !/^[\w-]{32,}$/.test(TENON_DEV_SECRET)) {
    report("TENON_DEV_SECRET takes at least 32 letters, digits, - and _. Leave it out to get a random one.");
  }
  const worker = TENON_WORKER ? Number(TENON_WORKER) : undefined;
  if (found.length > 0 && problems === undefined) throw new StartError(found);
  problems?.push(...found);
  const production = isProduction(env);
  return {
    logLevel,
    production,
    test: !!NODE_TEST_CONTEXT,
    color: readColor(env),
    engine,
    workers,
    worker,
    describe: !!TENON_DESCRIBE,
    dev: !isDevelopment(env) ? undefined : TENON_DEV === "restart" ? "restart" : "start",
    editor: TENON_EDITOR || undefined,
    otel: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith("OTEL_") && !!entry[1]),
    ),
  };
}

/** As Node and most tools read them: FORCE_COLOR takes precedence over NO_COLOR, and its 0 and false mean no colours. */
function readColor({ FORCE_COLOR, NO_COLOR }: NodeJS.Dict<string>): boolean | undefined {
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return NO_COLOR ? false : undefined;
}
