import { subscribe } from "node:diagnostics_channel";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import type { DevtoolsHost } from "@tenon/core/internal";
import type { OpenApiDocument } from "@tenon/core/platform";
import { reportProblems } from "./problem-channel.ts";

// runs in the process of an application that describes itself or runs a command of the tool, before its entry point

const folder = realpathSync(process.cwd());

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return; // the application has its own
  const { toLocatedError, toStartProblem } = loadReport();
  reportProblems([toStartProblem(toLocatedError(error, folder), folder)]);
  process.exit(1);
});

/** Called by `createApp()`. The framework is loaded only now, as below, and before the routes are made: V8 forgets places. */
async function loadTool() {
  const { toDescription } = await import("@tenon/devtools/internal");
  return {
    async describe(app: { openapi?(): Promise<OpenApiDocument> }, built: DevtoolsHost["built"]): Promise<never> {
      const description = toDescription(built);
      const openapi = await app.openapi?.();
      const message = openapi === undefined ? description : { ...description, openapi };
      process.send?.(message, () => process.exit(0)); // after the message is written
      return new Promise<never>(() => {});
    },
  };
}
Object.assign(globalThis, { [Symbol.for("tenon.tool")]: loadTool });

// createApp() has printed the problems, and exits after this
subscribe("tenon:start-error", (error) => {
  const { problems = [] } = Object(error) as { readonly problems?: readonly Problem[] }; // a StartError of another copy of core
  const { toLocatedError, toStartProblem } = loadReport();
  const found = problems.map(({ message, cause }) => {
    // the place is that of the cause; a problem of the wiring has none
    const place = cause instanceof Error ? toLocatedError(cause, folder).place : undefined;
    return toStartProblem({ message: message.replaceAll(/\n\s*/g, " "), place, frames: [] }, folder);
  });
  reportProblems(found);
});

interface Problem {
  readonly message: string;
  readonly cause?: unknown;
}

/** For a report only: it loads the framework, which must come after what the application's own flags import, such as telemetry. */
function loadReport(): typeof import("./located-error.ts") & typeof import("./problem.ts") {
  const require = createRequire(import.meta.url);
  const extension = extname(import.meta.url);
  return { ...require(`./located-error${extension}`), ...require(`./problem${extension}`) };
}
