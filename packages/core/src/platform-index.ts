export { defaultRequestLimits, type RequestLimits } from "./body/body-reader.ts";
export { serializeCookie } from "./body/cookies.ts";
export { isForm } from "./body/form.ts";
export { isToken } from "./body/grammar.ts";
export { parseQuery } from "./body/query.ts";
export { exposeVariables, readEnvironment } from "./boot/environment.ts";
export type { FlatRoute } from "./boot/flatten.ts";
export { endsInTime, withTimeout } from "./boot/in-time.ts";
export { connectToPrimary, type OnPrimary, type PrimaryPort, type WorkerPort } from "./boot/primary.ts";
export { stopOnSignals } from "./boot/signals.ts";
export { BoundedMap } from "./bounded-map.ts";
export { type ConfigVariable, readConfigVariables } from "./config.ts";
export { leasesOf, releaseCaches } from "./context.ts";
export type { ContextTools } from "./context-tools.ts";
export type { FailuresOf, InputOf, ParamsOf } from "./contract.ts";
export { DelegatedIncoming } from "./delegated-incoming.ts";
export type {
  AppDescription,
  DeclarationDescription,
  InjectionDescription,
  KeyDescription,
  ModuleDescription,
  RouteDescription,
} from "./describe.ts";
export {
  type DevCell,
  type DevPanel,
  type DevPanelSource,
  type DevSection,
  type DevStatement,
  isDevPanelSource,
} from "./dev-panel.ts";
export { Development } from "./development.ts";
export { type Input, readJsonInput, validate } from "./dto/bind.ts";
export { findMismatches } from "./dto/check.ts";
export { Field } from "./dto/field.ts";
export { compileSelect, ReturnedMismatch } from "./dto/select.ts";
export type { InferInput, InferOutput } from "./dto/standard-schema.ts";
export { asWrittenBy, type PathOf } from "./endpoint.ts";
export { type ErrorFormat, formatError } from "./error-format.ts";
export { describeValue, toHttpError } from "./errors.ts";
export { openHttp } from "./http/api.ts";
export { isOriginOf } from "./http/foreign-origin.ts";
export { isLocalIncoming, isLocalRequest } from "./http/local-request.ts";
export { type HttpOptions, type HttpSettings, toHttpSettings } from "./http/settings.ts";
export { Introspection } from "./introspection.ts";
export { logError } from "./kernel.ts";
export { isSecretName, Redactor } from "./log/log-redact.ts";
export {
  type LogDroppedSignal,
  type LogLineSignal,
  type LogSignal,
  logDroppedSignal,
  logLineSignal,
  logSignal,
} from "./log/log-signals.ts";
export { isMetricSource, type Metric, type MetricSource, type MetricValue } from "./metric.ts";
export { addVary, parseWeights } from "./middleware/negotiation.ts";
export {
  type FileStamp,
  isFileName,
  isMissing,
  ServedFolder,
  stampOf,
  toFilePath,
} from "./middleware/served-folder.ts";
export { forever } from "./middleware/static-files.ts";
export { findNearest } from "./nearest.ts";
export { checkNames, namesOf, refuseOption } from "./options.ts";
export {
  Background,
  type BackgroundPlatform,
  type BackgroundRoutes,
  type BackgroundWork,
  backgroundWork,
  type Devtools,
  describeStores,
  type OpenPlatform,
  type Platform,
  type PlatformParts,
  type RequestHandler,
} from "./platform.ts";
export { Outgoing, toOutgoing } from "./reply.ts";
export type { Incoming } from "./request.ts";
export {
  type HandlerSignal,
  handlerSignal,
  type MiddlewareSignal,
  middlewareSignal,
  type RequestSignal,
  requestSignal,
  requestStore,
  type Signal,
  type SignalOutcome,
  trace,
} from "./signals.ts";
export { type HeaderEntries, Upgrade, type UpgradeOptions } from "./upgrade.ts";
