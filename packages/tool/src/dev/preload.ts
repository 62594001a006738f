import { subscribe } from "node:diagnostics_channel";
import { realpathSync } from "node:fs";
import { toCrashReport } from "./crash-report.ts";

// runs in the process of the application, before its entry point

const folder = realpathSync(process.cwd());

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return; // the application has its own
  process.stderr.write(`\n${toCrashReport(error, folder)}`);
  process.exit(1);
});

// createApp() has printed the problems, and exits after this
subscribe("tenon:start-error", (error) => {
  if (!(error instanceof Error && "problems" in error && Array.isArray(error.problems))) return;
  const problems: readonly { readonly cause?: unknown }[] = error.problems;
  for (const { cause } of problems)
    if (cause instanceof Error) process.stderr.write(`\n${toCrashReport(cause, folder)}`);
});

// a worker is stopped by the process that has started it
if (process.getBuiltinModule("node:cluster").isPrimary) {
  // without it, the application would run on after `tenon dev` was killed, and keep its port
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref(); // a listener for "disconnect" would keep a process alive that has nothing left to do
}
