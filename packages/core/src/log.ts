import pino from "pino";
import { token } from "./di/token.ts";
import type { LogLevel } from "./environment.ts";
import { createPrettyStream } from "./log-pretty.ts";

export interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** Inject it to write to the log: `inject(Log)` gives one named after the class that asks. */
export interface Log {
  readonly level: string;
  readonly trace: LogMethod;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  child(bindings: Readonly<Record<string, unknown>>): Log;
  isLevelEnabled(level: string): boolean;
}
export const Log = token<Log>("Log");

export interface LogDestination {
  write(line: string): void;
}

export interface LogOptions {
  readonly level?: LogLevel;
  /** One JSON line each; on a terminal the default is text for people. */
  readonly pretty?: boolean;
  readonly color?: boolean;
  readonly destination?: LogDestination;
}

export function createLog(options: LogOptions = {}): Log {
  const terminal = process.stdout.isTTY === true && options.destination === undefined;
  const target = options.destination ?? pino.destination({ dest: 1, sync: true });
  const pretty = options.pretty ?? terminal;
  return pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      serializers: { err: pino.stdSerializers.err },
    },
    pretty ? createPrettyStream(target, { color: options.color ?? terminal }) : target,
  );
}

const secretNames = new Set([
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "sessionid",
  "apikey",
  "xapikey",
  "password",
  "passwordhash",
  "secret",
  "jwtsecret",
  "token",
  "accesstoken",
  "refreshtoken",
]);
const maxDepth = 6;

/** Replaces what must never be read in a log, by name and however it is nested. */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const isSecret = secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ""));
    clean[name] = isSecret ? "[redacted]" : redactValue(value, depth + 1);
  }
  return clean;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? redactObject(value, depth) : value;
}
