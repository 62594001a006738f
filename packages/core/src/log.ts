import pino from "pino";
import { token } from "./di/token.ts";
import { type LogLevel, logLevels } from "./environment.ts";
import { describeValue, StartError } from "./errors.ts";
import { createPrettyStream, toEscape } from "./log-pretty.ts";
import { Redactor } from "./log-redact.ts";
import { checkNames, namesOf } from "./options.ts";

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
  write(line: string): unknown;
  /** Whether people read it there. */
  readonly isTTY?: boolean;
}

export interface LogOptions {
  readonly level?: LogLevel;
  /** One JSON line each; on a terminal the default is text for people. */
  readonly pretty?: boolean;
  readonly color?: boolean;
  readonly destination?: LogDestination;
}

const optionNames = namesOf<LogOptions>({ level: true, pretty: true, color: true, destination: true });

export function createLog(options: LogOptions = {}): Log {
  checkNames("log", options, optionNames);
  const { level = "info" } = options;
  if (!logLevels.includes(level)) {
    const message = `log.level is ${describeValue(level)}. Use one of: ${logLevels.join(", ")}.`;
    throw new StartError([{ code: "BAD_OPTION", message }]);
  }
  const terminal = (options.destination ?? process.stdout).isTTY === true;
  const target = options.destination ?? pino.destination({ dest: 1, sync: true });
  const pretty = options.pretty ?? terminal;
  const redactor = new Redactor();
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redactor.redact(fields) },
      serializers: { err: (error: unknown) => error }, // the redactor has written it already, and pino's own copies secrets
    },
    pretty
      ? createPrettyStream(target, { color: options.color ?? terminal })
      : { write: (line: string) => target.write(escapeControls(line)) },
  );
  const { child } = log;
  // pino hands the fields of a child to no formatter; children inherit this method
  return Object.assign(log, {
    child(this: typeof log, bindings: Readonly<Record<string, unknown>>) {
      return child.call(this, { ...redactor.redact(bindings) });
    },
  });
}

/** JSON leaves these as they are, and a terminal obeys them. Inside a line they can only stand in strings. */
function escapeControls(line: string): string {
  return line.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, toEscape);
}
