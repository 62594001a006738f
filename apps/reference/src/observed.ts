import type { Module } from "@tenon/core";
import { readEnvironment } from "@tenon/core/internal";
import type { Config } from "./config.ts";

/**
 * Traces when a variable OTEL_… is set, `GET /metrics` with METRICS_TOKEN. By default neither of them, and nothing is
 * loaded: an import at the top of a file would add to the time of every start and every command.
 */
export async function loadObserved({ metricsToken }: Pick<Config, "metricsToken">): Promise<Module[]> {
  if (metricsToken === undefined && !hasOpenTelemetry()) return [];
  const { observeModule } = await import("@tenon/observe");
  return [observeModule(metricsToken === undefined ? {} : { metrics: { token: metricsToken } })];
}

function hasOpenTelemetry(): boolean {
  try {
    return Object.keys(readEnvironment().otel).length > 0;
  } catch {
    return false; // createApp() reports the bad variable
  }
}
