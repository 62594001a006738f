import type { Platform, ResolvedPlatform } from "../app/platform.ts";
import { type Input, readJsonInput } from "../body/input.ts";
import { defaultRequestLimits } from "../body/limits.ts";
import { type Injectable, resolveOptions } from "../inject/injectable.ts";
import { LogWriter } from "../log/log-writer.ts";
import type { MiddlewareLike } from "../request/handler.ts";
import type { Incoming, RequestView } from "../request/request.ts";
import { checkOptions } from "../support/options.ts";
import { type CliApp, OpenCli } from "./cli-app.ts";
import type { Program } from "./help.ts";
import type { CommandIncoming } from "./incoming.ts";
import { toCommandOutgoing, toErrorOutgoing } from "./result.ts";

interface PlainOptions extends Program {
  /** The application's middlewares. Defaults to none. */
  readonly middlewares?: readonly MiddlewareLike[];
}

/** Each option but the name is a value, or a function that returns it and may `inject()` what the root module sees. */
export interface CliOptions extends Injectable<PlainOptions, "name"> {}

/** The user of a command is trusted: these limits only protect against accidents. */
const limits = Object.freeze({
  ...defaultRequestLimits,
  body: 16 * 1024 * 1024,
  queryPairs: 100_000,
  bodyTimeout: 60 * 60 * 1000,
});

/** The command-line platform: serves the routes that have no method. Opens no port and loads no HTTP code. */
export function cli(options: CliOptions): Platform<CliApp> {
  return {
    name: "cli",
    background: false,
    log: { level: "warn", destination: new LogWriter(2, { sync: true }) }, // standard output is for results
    resolve: () => resolveCli(resolveOptions<PlainOptions, "name">(options, ["name"])),
  };
}

function resolveCli(options: PlainOptions): ResolvedPlatform<CliApp> {
  checkOptions("cli()", options, {
    name: true,
    version: true,
    description: true,
    groups: true,
    first: true,
    aliases: true,
    middlewares: true,
  });
  return {
    middlewares: options.middlewares ?? [],
    limits,
    serves: (route) => route.method === undefined,
    serialize: toCommandOutgoing,
    fail: toErrorOutgoing,
    readInput,
    readQuery: readInput,
    readForm: readInput,
    showProgress: (incoming, total, label) => (incoming as CommandIncoming).progress(total, label), // as above
    open: async (parts) => new OpenCli(parts, options),
  };
}

/** Flags are the query and the body of a command; with `--stdin` both are JSON. */
function readInput(incoming: Incoming, request: RequestView): Input | Promise<Input> {
  const { fields } = incoming as CommandIncoming; // this platform makes no other kind of request
  if (fields === undefined) return readJsonInput(incoming, { readBody: () => request.body() }, limits);
  return { value: { ...fields }, fromText: true }; // a copy, because validation changes it in place
}
