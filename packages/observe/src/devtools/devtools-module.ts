import { defineModule, inject, Log, type Module, provide } from "@tenon/core";
import { checkNames, Development, Introspection, namesOf, readEnvironment, refuseOption } from "@tenon/core/platform";
import { DevtoolsServer } from "./devtools-server.ts";

export interface DevtoolsOptions {
  /** How many requests and jobs are kept. Defaults to 300. */
  readonly keep?: number;
  /** Milliseconds from which on a statement is marked as slow. Defaults to 50. */
  readonly slowQuery?: number;
  /**
   * The file that keeps the records across restarts; false keeps them in memory only. Defaults to
   * `node_modules/.cache/tenon/requests.jsonl`, which `tenon requests` reads, and to false in tests.
   */
  readonly file?: string | false;
}

const optionNames = namesOf<DevtoolsOptions>({ keep: true, slowQuery: true, file: true });
const defaultFile = "node_modules/.cache/tenon/requests.jsonl";

/**
 * Pages for developers at `/_dev`, which show the requests of an application, its jobs, routes, modules and stores. They
 * respond in development only, and to requests of this machine only.
 */
export function devtools(options: DevtoolsOptions = {}): Module {
  checkNames("devtools()", options, optionNames);
  const { keep = 300, slowQuery = 50, file } = options;
  if (!Number.isSafeInteger(keep) || keep < 1) refuseOption(`keep of devtools() is ${keep}. It takes a number from 1.`);
  if (!(slowQuery >= 0)) refuseOption(`slowQuery of devtools() is ${slowQuery}. It takes milliseconds.`);
  return defineModule({
    name: "devtools",
    declarations: [
      provide(DevtoolsServer, () => {
        const { test, editor } = readEnvironment();
        return new DevtoolsServer({
          development: inject(Development),
          introspection: inject(Introspection),
          log: inject(Log),
          keep,
          slowQuery,
          file: (file ?? (test ? false : defaultFile)) || undefined,
          editor,
        });
      }),
    ],
  });
}
