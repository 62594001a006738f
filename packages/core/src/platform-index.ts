export type { HeaderEntries } from "@tenon/server";
export type { DevCell, DevPanel, DevPanelSource, DevSection, DevStatement } from "./app/dev-panel.ts";
export { Introspection } from "./app/introspection.ts";
export type { Metric, MetricSource, MetricValue } from "./app/metric.ts";
export {
  Background,
  type BackgroundPlatform,
  type BackgroundWork,
  backgroundWork,
  type OpenPlatform,
  type PlatformParts,
  type ResolvedPlatform,
} from "./app/platform.ts";
export { openHttp } from "./http/api.ts";
export type { HttpOptions } from "./http/settings.ts";
export type { DroppedLines, LoggedFields, LoggedLine } from "./log/log-channels.ts";
export { Redactor } from "./log/log-redact.ts";
export type { OpenApiDocument } from "./openapi/document.ts";
export type { RequestHandler } from "./request/kernel.ts";
export { Upgrade } from "./request/raw.ts";
export { Outgoing, toOutgoing } from "./request/reply.ts";
export type { Incoming } from "./request/request.ts";
export type { TracedHandler, TracedMiddleware, TracedOutcome, TracedRequest, Tracing } from "./request/tracing.ts";
export type { FlatRoute } from "./route/flatten.ts";
export type { RouteInfo } from "./route/table.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
