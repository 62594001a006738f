export type { DevCell, DevPanel, DevPanelSource, DevSection, DevStatement } from "./app/dev-panel.ts";
export { Introspection } from "./app/introspection.ts";
export type { Metric, MetricSource, MetricValue } from "./app/metric.ts";
export {
  Background,
  type BackgroundPlatform,
  type BackgroundRoutes,
  type BackgroundWork,
  backgroundWork,
  type OpenPlatform,
  type PlatformParts,
  type ResolvedPlatform,
} from "./app/platform.ts";
export { openHttp } from "./http/api.ts";
export type { HttpOptions } from "./http/settings.ts";
export { Redactor } from "./log/log-redact.ts";
export type { LogDroppedSignal, LogLineSignal, LogSignal } from "./log/log-signals.ts";
export type { HandlerSignal, MiddlewareSignal, RequestSignal, Signal, SignalOutcome } from "./request/channels.ts";
export type { RequestHandler } from "./request/kernel.ts";
export { type HeaderEntries, Outgoing, toOutgoing, Upgrade, type UpgradeOptions } from "./request/reply.ts";
export type { Incoming } from "./request/request.ts";
export type { FlatRoute } from "./route/flatten.ts";
