import { subscribe } from "node:diagnostics_channel";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";

// runs in the process of the application, before its entry point

const folder = realpathSync(process.cwd());

function print(error: unknown): void {
  // only now: it loads the framework, which must come after what the application's own flags import, such as telemetry
  const require = createRequire(import.meta.url);
  const { toCrashReport } = require(`./crash-report${extname(import.meta.url)}`) as typeof import("./crash-report.ts"); // its own types
  // biome-ignore lint/style/noProcessEnv: a report must not show the secret that `tenon dev` has set there
  const report = toCrashReport(error, folder, process.env.TENON_DEV_SECRET);
  process.stderr.write(`\n${report}`);
  send(report);
}

/** For the page that `tenon dev` shows instead of the application. */
function send(text: string): void {
  process.send?.({ tenon: "failed", text }, () => {}); // as in listen()
}

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return; // the application has its own
  print(error);
  process.exit(1);
});

// createApp() has printed the problems, and exits after this
subscribe("tenon:start-error", (error) => {
  if (!(error instanceof Error && "problems" in error && Array.isArray(error.problems))) return;
  send(`Cannot start: ${error.message}\n\n`);
  const problems: readonly { readonly code?: string; readonly cause?: unknown }[] = error.problems;
  for (const { code, cause } of problems) {
    if (code === "LISTEN_FAILED") continue; // the problem says the same in words, with the cure
    if (cause instanceof Error) print(cause);
  }
});

// a worker is stopped by the process that has started it
if (process.getBuiltinModule("node:cluster").isPrimary) {
  // without it, the application would run on after `tenon dev` was killed, and keep its port
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref(); // a listener for "disconnect" would keep a process alive that has nothing left to do
}
