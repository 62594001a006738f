import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Constructed, Injection } from "../inject/container.ts";
import type { Graph } from "../inject/module-graph.ts";
import type { Log } from "../log/log.ts";
import type { LogFields } from "../log/log-pretty.ts";
import type { FlatRoute } from "../route/flatten.ts";
import type { RouteInfo } from "../route/table.ts";
import type { Introspection } from "./introspection.ts";
import type { Devtools, DevtoolsOptions } from "./platform.ts";

/** What the start has built, for a description of the application. The lists grow with it. */
export interface Built {
  readonly platform: string;
  readonly graph: Graph;
  readonly constructed: readonly Constructed[];
  readonly injections: readonly Injection[];
  readonly router: { readonly routes: readonly FlatRoute[] };
  /** `list()` has the order of the router. */
  readonly routes: { list(): RouteInfo[] };
}

/** What `openDevtools()` of `@tenon/devtools` gets. */
export interface DevtoolsHost {
  /** The secret by which they recognise the developer. */
  readonly secret: string;
  readonly built: Built;
  readonly introspection: Introspection;
  readonly log: Log;
  readonly options: DevtoolsOptions;
}

/** What `@tenon/devtools` exports. */
export interface DevtoolsPackage {
  openDevtools(host: DevtoolsHost): Devtools;
  /** Changes a line of the log for a terminal: the source of an error instead of its whole stack, an access line in 100 columns. */
  toReadableLine(fields: LogFields): LogFields;
}

/**
 * Loads `@tenon/devtools` as the working directory finds it. Undefined where it is not installed: it is a development
 * dependency of applications, and not a dependency of this package.
 */
export async function loadDevtools(folder: string = process.cwd()): Promise<DevtoolsPackage | undefined> {
  let file: string;
  try {
    file = createRequire(pathToFileURL(`${folder}/`)).resolve("@tenon/devtools");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
  return (await import(pathToFileURL(file).href)) as DevtoolsPackage; // all packages have one version
}
