import { type CliMethods, createCliDoor } from "../cli/door.ts";
import { toFailure } from "../cli/failure.ts";
import type { Program } from "../cli/help.ts";
import { toCommandOutgoing } from "../cli/outgoing.ts";
import { defaultRequestLimits } from "../context/limits.ts";
import { LogWriter } from "../log-writer.ts";
import { checkNames, namesOf } from "../options.ts";
import type { MiddlewareLike } from "../pipeline/middleware.ts";
import type { Platform } from "./platform.ts";

export interface CliOptions extends Program {
  /** The word that people type. It stands before every error. */
  readonly name: string;
  /** Shown by `--version`, which does not exist without it. */
  readonly version?: string;
  /** Shown by `--help`. */
  readonly description?: string;
  /** Of the application. None by default. */
  readonly middlewares?: readonly MiddlewareLike[];
}

/** Whoever types a command is no stranger: these bounds are against accidents only. */
const limits = Object.freeze({
  ...defaultRequestLimits,
  body: 16 * 1024 * 1024,
  queryPairs: 100_000,
  bodyTimeout: 60 * 60 * 1000,
});

const optionNames = namesOf<CliOptions>({ name: true, version: true, description: true, middlewares: true });

/** Commands: serves the routes that have no method. Opens no port and loads no HTTP code. */
export function cli(options: CliOptions): Platform<CliMethods> {
  checkNames("cli()", options, optionNames);
  return {
    name: "cli",
    middlewares: options.middlewares ?? [],
    limits,
    log: { level: "warn", destination: new LogWriter(2, { sync: true }) }, // standard output is for results
    serves: (route) => route.method === undefined,
    serialize: toCommandOutgoing,
    fail: toFailure,
    open: async (parts) => createCliDoor(parts, options),
  };
}
