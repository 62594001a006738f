import type { Module } from "@tenon/core";
import { readEnvironment } from "@tenon/core/platform";
import type { Config } from "./config.ts";

/**
 * Traces when a variable OTEL_… is set, `GET /metrics` with METRICS_TOKEN, `/_dev` under `tenon dev`. By default none of
 * them, and nothing is loaded: an import at the top of a file would add to the time of every start and every command.
 */
export async function loadObserved({ metricsToken, devtools: hasDevtools }: Config): Promise<Module[]> {
  const modules: Module[] = [];
  if (metricsToken !== undefined || hasOpenTelemetry()) {
    const { observeModule } = await import("@tenon/observe");
    modules.push(observeModule(metricsToken === undefined ? {} : { metrics: { token: metricsToken } }));
  }
  if (hasDevtools) {
    const { devtools } = await import("@tenon/observe/devtools");
    modules.push(devtools());
  }
  return modules;
}

function hasOpenTelemetry(): boolean {
  try {
    return Object.keys(readEnvironment().otel).length > 0;
  } catch {
    return false; // createApp() reports the bad variable
  }
}
