import { defaultRequestLimits } from "../body/body-reader.ts";
import { type Input, readJsonInput } from "../dto/bind.ts";
import { LogWriter } from "../log/log-writer.ts";
import { checkNames, namesOf } from "../options.ts";
import type { Platform } from "../platform.ts";
import type { MiddlewareLike } from "../record.ts";
import type { Incoming, RequestView } from "../request.ts";
import { type CliMethods, openCli } from "./cli-methods.ts";
import type { Program } from "./help.ts";
import type { CommandIncoming } from "./incoming.ts";
import { toCommandOutgoing, toFailure } from "./result.ts";

export interface CliOptions extends Program {
  /** The application's middlewares. Defaults to none. */
  readonly middlewares?: readonly MiddlewareLike[];
}

/** The user of a command is trusted: these limits only protect against accidents. */
const limits = Object.freeze({
  ...defaultRequestLimits,
  body: 16 * 1024 * 1024,
  queryPairs: 100_000,
  bodyTimeout: 60 * 60 * 1000,
});

const optionNames = namesOf<CliOptions>({
  name: true,
  version: true,
  description: true,
  groups: true,
  middlewares: true,
});

/** The command-line platform: serves the routes that have no method. Opens no port and loads no HTTP code. */
export function cli(options: CliOptions): Platform<CliMethods> {
  checkNames("cli()", options, optionNames);
  return {
    name: "cli",
    middlewares: options.middlewares ?? [],
    limits,
    background: false,
    log: { level: "warn", destination: new LogWriter(2, { sync: true }) }, // standard output is for results
    serves: (route) => route.method === undefined,
    serialize: toCommandOutgoing,
    fail: toFailure,
    readInput,
    readQuery: readInput,
    readForm: readInput,
    showProgress: (incoming, total, label) => (incoming as CommandIncoming).progress(total, label), // as above
    open: async (parts) => openCli(parts, options),
  };
}

/** Flags are the query and the body of a command; with `--stdin` both are JSON. */
function readInput(incoming: Incoming, request: RequestView): Input | Promise<Input> {
  const { fields } = incoming as CommandIncoming; // this platform makes no other kind of request
  if (fields === undefined) return readJsonInput(incoming, request, limits);
  return { value: { ...fields }, fromText: true }; // a copy, because validation changes it in place
}
