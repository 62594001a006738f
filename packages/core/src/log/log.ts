import pino from "pino";
import { token } from "../inject/token.ts";
import { checkOptions } from "../support/options.ts";
import { logChannel, logLineChannel } from "./log-channels.ts";
import { type LogFields, toEscape, toPrettyLine } from "./log-pretty.ts";
import { Redactor } from "./log-redact.ts";
import { type LogDestination, LogGuard, LogWriter } from "./log-writer.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** `inject(Log)` returns a log that is named after the class that injects it. */
export interface Log extends Readonly<Record<Exclude<LogLevel, "silent">, LogMethod>> {
  readonly level: string;
  child(bindings: Readonly<Record<string, unknown>>): Log;
  isLevelEnabled(level: string): boolean;
}
export const Log = token<Log>("Log");

export interface LogOptions {
  readonly level?: LogLevel;
  /** Text for people instead of JSON lines. Defaults to true on a terminal. */
  readonly pretty?: boolean;
  /** Whether the text is coloured. Defaults to true on a terminal; NO_COLOR and FORCE_COLOR change that. */
  readonly color?: boolean;
  readonly destination?: LogDestination;
}

/** `development` keeps the `development` fields of errors; `adapt` changes the fields of a line before it becomes text for people. */
export function createLog(
  options: LogOptions = {},
  development = false,
  adapt?: (fields: LogFields) => LogFields,
): Log {
  checkOptions("log", options, { level: true, pretty: true, color: true, destination: true });
  const { level = "info", destination } = options;
  const target = toTarget(destination);
  const terminal = target.isTTY === true;
  const { pretty = terminal, color = terminal } = options;
  const toLine = pretty ? (json: string) => toPrettyLine(json, color, adapt) : escapeControls;
  if (target instanceof LogWriter) {
    target.describeDropped = (dropped) => {
      const time = new Date().toISOString();
      return toLine(`${JSON.stringify({ level: "warn", time, dropped, msg: "log lines were dropped" })}\n`);
    };
  }
  const redactor = new Redactor(undefined, development);
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => publishFields(redactor.redact(fields)) },
      serializers: { err: (error: unknown) => error }, // the redactor has written it already, and pino's own copies secrets
      hooks: { logMethod: logSafely },
    },
    {
      write: (line: string) => {
        if (logLineChannel.hasSubscribers) logLineChannel.publish({ line });
        void target.write(toLine(line));
      },
    },
  );
  const { child } = log;
  // pino hands the fields of a child to no formatter; children inherit this method
  return Object.assign(log, {
    child(this: typeof log, bindings: Readonly<Record<string, unknown>>) {
      try {
        return child.call(this, { ...redactor.redact(bindings) });
      } catch {
        return child.call(this, unreadable); // pino calls a method of the fields, which a field can hide
      }
    },
  });
}

/** The subscribers of `tenon.log` may add fields to a line. */
function publishFields(redacted: Record<string, unknown>): Record<string, unknown> {
  if (logChannel.hasSubscribers) logChannel.publish({ fields: redacted });
  return redacted;
}

const unreadable = Object.freeze({ unreadable: true });

/** Before the redactor sees the fields, pino reads some of them: a getter that throws must not fail the request. */
function logSafely(this: pino.Logger, args: Parameters<pino.LogFn>, method: pino.LogFn): void {
  try {
    method.apply(this, args);
  } catch {
    const message = (args as unknown[]).find((argument) => typeof argument === "string");
    method.call(this, unreadable, message);
  }
}

/** Standard output and error are written without their streams, which block or fail with their reader. */
function toTarget(destination: LogDestination | undefined): LogWriter | LogGuard {
  if (destination instanceof LogWriter) return destination;
  if (destination === undefined || destination === process.stdout) return new LogWriter(1);
  return destination === process.stderr ? new LogWriter(2) : new LogGuard(destination);
}

/** JSON does not escape these, and a terminal obeys them. In a JSON line they occur only in strings. */
function escapeControls(line: string): string {
  return line.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, toEscape);
}
