import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { DeveloperAccess } from "../boot/developer-access.ts";
import type { Log } from "../log/log.ts";
import type { Devtools, DevtoolsOptions } from "../platform.ts";
import type { Incoming } from "../request.ts";
import type { RouteInfo } from "../table.ts";
import type { AppDescription, Built } from "./describe.ts";
import type { Introspection } from "./introspection.ts";

/** What only the developer tools may know of an application. */
export interface Development {
  /** Whether a request carries the secret of the developer. */
  hasSecret(incoming: Incoming): boolean;
  /** Modules, injections and the places of handlers in the source. Call it when the application has started. */
  describe(): Promise<AppDescription>;
}

/** What `openDevtools()` of `@tenon/devtools` gets. */
export interface DevtoolsHost {
  readonly development: Development;
  readonly introspection: Introspection;
  readonly log: Log;
  readonly options: DevtoolsOptions;
}

/** What `@tenon/devtools` exports. */
interface DevtoolsPackage {
  openDevtools(host: DevtoolsHost): Devtools;
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

/** The port of one application. */
export class ApplicationDevelopment implements Development {
  readonly access: DeveloperAccess | undefined;
  /** Set when the modules are wired. */
  wired: Omit<Built, "router"> | undefined;
  /** Set when the routes are known. */
  table: { readonly router: Built["router"]; readonly routes: { list(): RouteInfo[] } } | undefined;

  /** `access` is undefined in a process that was not started for development. */
  constructor(access: DeveloperAccess | undefined) {
    this.access = access;
  }

  hasSecret(incoming: Incoming): boolean {
    return this.access?.hasSecret(incoming) ?? false;
  }

  async describe(): Promise<AppDescription> {
    const built = this.toBuilt();
    const { toDescription } = await import("./describe.ts"); // loads the inspector of node
    return toDescription(built, built);
  }

  toBuilt(): Built & { readonly routes: { list(): RouteInfo[] } } {
    const { wired, table } = this;
    if (wired !== undefined && table !== undefined) return { ...wired, ...table };
    throw new Error("Development.describe() was called before the application was built");
  }
}
