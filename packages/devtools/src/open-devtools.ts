import { checkOptions, type DevtoolsHost, type OptionTable, readEnvironment, takes } from "@tenon/core/internal";
import { DeveloperAccess } from "./developer-access.ts";
import { DevtoolsServer } from "./devtools-server.ts";
import { findUnlisted } from "./find-unlisted.ts";

const optionTable: OptionTable<DevtoolsHost["options"]> = {
  keep: takes.wholeNumber(1),
  slowQuery: takes.number(0),
  file: true,
};

/**
 * Pages for developers at `/_dev`, which show the requests of an application, its jobs, routes, modules and stores.
 * `createApp()` calls it in a process that was started for development.
 */
export function openDevtools({ options, secret, ...host }: DevtoolsHost): DevtoolsServer {
  checkOptions("devtools of createApp()", options, optionTable);
  // frames of the framework and of a database library alone are more than the ten that V8 keeps
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 50);
  for (const text of findUnlisted(host.built)) host.log.warn(text);
  const { keep = 300, slowQuery = 50, file } = options;
  const { test, editor } = readEnvironment();
  return new DevtoolsServer({
    ...host,
    access: new DeveloperAccess(secret),
    keep,
    slowQuery,
    file: file ?? (test ? false : undefined),
    editor,
  });
}
