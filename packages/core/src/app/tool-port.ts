import type { Module } from "../inject/module.ts";
import { StartError } from "../support/errors.ts";
import type { Built } from "./development.ts";

/** What the tool does with an application in a process that it starts with TENON_DESCRIBE. */
export interface ToolPort {
  /** Runs a command with the modules of the application and ends the process: `tenon migrate`. */
  takeOver?(module: Module, options: object): Promise<never>;
  /** Sends the description of the application and ends the process. */
  describe?(app: object, built: Built): Promise<never>;
}

const port = Symbol.for("tenon.tool");

/** The tool sets a function on the global object of that process. */
export async function loadToolPort(): Promise<ToolPort> {
  const { [port]: load } = globalThis as { [port]?: () => ToolPort | Promise<ToolPort> }; // only the tool sets it
  return (await load?.()) ?? {};
}

/** What would start the application. */
const starters = ["start", "listen", "fetch", "run", "execute"];

/**
 * The first call that would start the application describes it instead and ends the process: no `onStart()` runs, no store
 * and no port is opened. Routes that were added until then are included.
 */
export function describeOnStart<A extends object>(app: A, built: Built, tool: ToolPort): A {
  if (tool.describe === undefined) {
    const message = "TENON_DESCRIBE is set, and no process waits for the description. Remove it from the environment.";
    throw new StartError([{ code: "BAD_ENVIRONMENT", message }]);
  }
  const describe = () => tool.describe?.(app, built);
  return Object.assign(app, Object.fromEntries(starters.filter((name) => name in app).map((name) => [name, describe])));
}
