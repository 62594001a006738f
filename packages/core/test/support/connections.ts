import { isMetricSource } from "@tenon/core/internal";
import { Introspection } from "@tenon/core/platform";
import type { TestHttpApp } from "@tenon/core/testing";

/** How many connections the HTTP server has open. */
export async function connectionsOf(app: TestHttpApp): Promise<number | undefined> {
  const source = app.get(Introspection).instances().find(isMetricSource);
  return (await source?.readMetrics())?.[0]?.values[0]?.value;
}
