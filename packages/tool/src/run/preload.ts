import { subscribe } from "node:diagnostics_channel";
import { realpathSync } from "node:fs";
import { toFailure } from "./failure.ts";
import { reportProblems } from "./failure-channel.ts";
import { type FoundProblem, toStartProblem } from "./problem.ts";

// runs in the process of an application that describes itself or runs a command of the tool, before its entry point

const folder = realpathSync(process.cwd());

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return; // the application has its own
  reportProblems([toStartProblem(toFailure(error, folder), folder)]);
  process.exit(1);
});

// createApp() has printed the problems, and exits after this
subscribe("tenon:start-error", (error) => {
  const { problems = [] } = Object(error) as { readonly problems?: readonly Problem[] }; // a StartError of another copy of core
  reportProblems(problems.map(toProblem));
});

interface Problem {
  readonly message: string;
  readonly cause?: unknown;
}

/** The place is that of the cause; a mistake in the wiring has none. */
function toProblem({ message, cause }: Problem): FoundProblem {
  const place = cause instanceof Error ? toFailure(cause, folder).place : undefined;
  return toStartProblem({ message: message.replaceAll(/\n\s*/g, " "), place, frames: [] }, folder);
}
