export type { FlatRoute } from "./boot/flatten.ts";
export type { HandlerSignal, MiddlewareSignal, RequestSignal, Signal, SignalOutcome } from "./diagnostics/channels.ts";
export { openHttp } from "./http/api.ts";
export type { HttpOptions } from "./http/settings.ts";
export type { AppDescription, ModuleDescription, RouteDescription } from "./introspection/describe.ts";
export type { DevCell, DevPanel, DevPanelSource, DevSection, DevStatement } from "./introspection/dev-panel.ts";
export { Introspection } from "./introspection/introspection.ts";
export type { Metric, MetricSource, MetricValue } from "./introspection/metric.ts";
export { Redactor } from "./log/log-redact.ts";
export type { LogDroppedSignal, LogLineSignal, LogSignal } from "./log/log-signals.ts";
export {
  Background,
  type BackgroundPlatform,
  type BackgroundRoutes,
  type BackgroundWork,
  backgroundWork,
  type OpenPlatform,
  type PlatformParts,
  type RequestHandler,
  type ResolvedPlatform,
} from "./platform.ts";
export { type HeaderEntries, Outgoing, toOutgoing, Upgrade, type UpgradeOptions } from "./reply.ts";
export { DelegatedIncoming, type Incoming } from "./request.ts";
