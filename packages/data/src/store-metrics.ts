import type { Metric, MetricValue } from "@tenon/core/platform";
import type { PoolUse } from "./database/postgres-pool.ts";

/** What an application's pools and connections do at the moment, by their URLs. */
export function toStoreMetrics(
  pools: ReadonlyMap<string, { readonly use: PoolUse }>,
  connections: ReadonlyMap<string, { readonly isReady: boolean }>,
): Metric[] {
  const uses = [...pools].map(([url, { use }]) => [placeOf(url), use] as const);
  const states = uses.flatMap(([pool, { used, idle }]) => [
    { value: used, labels: { pool, state: "used" } },
    { value: idle, labels: { pool, state: "idle" } },
  ]);
  const gauge = (name: string, help: string, values: readonly MetricValue[]): Metric[] =>
    values.length === 0 ? [] : [{ name, help, kind: "gauge", values }];
  return [
    ...gauge("tenon_pool_connections", "Connections of a pool to PostgreSQL", states),
    ...gauge(
      "tenon_pool_size",
      "The most connections that a pool opens",
      uses.map(([pool, { size }]) => ({ value: size, labels: { pool } })),
    ),
    ...gauge(
      "tenon_pool_waiting",
      "Callers that wait for a connection of a pool",
      uses.map(([pool, { waiting }]) => ({ value: waiting, labels: { pool } })),
    ),
    ...gauge(
      "tenon_redis_up",
      "Whether the connection to Redis is open",
      [...connections].map(([url, { isReady }]) => ({ value: isReady ? 1 : 0, labels: { server: placeOf(url) } })),
    ),
  ];
}

/** Host, port and database, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}
