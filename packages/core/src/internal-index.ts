export { defaultRequestLimits, type RequestLimits } from "./body/body-reader.ts";
export { serializeCookie } from "./body/cookies.ts";
export { isForm } from "./body/form.ts";
export { isToken } from "./body/grammar.ts";
export { type Input, readJsonInput } from "./body/input.ts";
export { parseQuery } from "./body/query.ts";
export { type DeveloperAccess, withoutSecret } from "./boot/developer-access.ts";
export { connectToPrimary, type OnPrimary, type PrimaryPort, type WorkerPort } from "./boot/primary.ts";
export { stopOnSignals } from "./boot/signals.ts";
export {
  type Command,
  type Flag as CommandFlag,
  flagsOf as commandFlags,
  isSwitch,
  startsWithWords,
  toCommands,
} from "./cli/commands.ts";
export { choicesOf } from "./cli/positionals.ts";
export { readConfigVariables } from "./config/config.ts";
export { exposeVariables, readEnvironment } from "./config/environment.ts";
export {
  type ContextTools,
  leasesOf,
  type Progress,
  type ReplyHook,
  type RequestContext,
  releaseRequest,
} from "./context.ts";
export type { FailuresOf, InputOf, MatchedRoute, ParamsOf } from "./contract.ts";
export { returnsByStatus, toBody } from "./contract.ts";
export { handlerSignal, middlewareSignal, requestSignal, requestStore, trace } from "./diagnostics/channels.ts";
export type { ContractMismatch } from "./diagnostics/contract-check.ts";
export {
  type FetchListener,
  type FetchListeners,
  type FetchMessage,
  type FetchRequest,
  isAbort,
  listenToFetch,
} from "./diagnostics/fetch-channels.ts";
export { validate } from "./dto/bind.ts";
export { findMismatches } from "./dto/check.ts";
export { Field } from "./dto/field.ts";
export type { Returned } from "./dto/returned.ts";
export { findSchemaIssues } from "./dto/schema-issues.ts";
export { compileSelect, ReturnedMismatch } from "./dto/select.ts";
export type { InferInput, InferOutput } from "./dto/standard-schema.ts";
export { asWrittenBy, type PathOf } from "./endpoint.ts";
export { type ErrorFormatName, formatError } from "./error-format.ts";
export { causesOf, describeValue, type InputPart, type StartCode, toHttpError, tooManyRequests } from "./errors.ts";
export { readExcerpt, readLines, type SourceExcerpt, toCodeFrame } from "./failure/code-frame.ts";
export { type Failure, toFailureText } from "./failure/failure-text.ts";
export { findHints } from "./failure/hints.ts";
export {
  framesOf,
  isOwn,
  ownFramesOf,
  type Place,
  parseFrame,
  type StackFrame,
  showPlace,
} from "./failure/stack-frame.ts";
export { keepsLongStacks } from "./failure/stack-limit.ts";
export type { ResponseHeaders } from "./headers.ts";
export { readManifest } from "./http/banner.ts";
export { findForgery, isOrigin, isOriginOf, isSafe, unsafeMethods } from "./http/foreign-origin.ts";
export { checkHttpOptions, toHttpSettings } from "./http/settings.ts";
export { type Injectable, resolveModuleOptions, resolveOptions } from "./inject/injectable.ts";
export type { ConfigIn, Declaration } from "./inject/module.ts";
export type { Key } from "./inject/token.ts";
export type { InjectionDescription } from "./introspection/describe.ts";
export { isDevPanelSource } from "./introspection/dev-panel.ts";
export type { Development, DevtoolsHost } from "./introspection/development.ts";
export { isMetricSource } from "./introspection/metric.ts";
export { logError } from "./kernel.ts";
export { isSecretInput, isSecretName, redacted } from "./log/log-redact.ts";
export {
  logDroppedSignal,
  logLineSignal,
  logSignal,
} from "./log/log-signals.ts";
export { isSecretParameter, redactQuery, SafePaths } from "./log/safe-urls.ts";
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
export type { OpenApiInfo } from "./openapi/document.ts";
export type { ParamNames } from "./pattern.ts";
export { type Devtools, type DevtoolsOptions, describeGuarantees, describeStores } from "./platform.ts";
export { isThenable } from "./reply.ts";
export type { RequestView } from "./request.ts";
export { BoundedMap } from "./support/bounded-map.ts";
export { describeDuration, parseDuration } from "./support/duration.ts";
export { digest, ExpiringRecords, type RecordStore } from "./support/expiring-records.ts";
export { endsInTime, withTimeout } from "./support/in-time.ts";
export { markFactory } from "./support/middleware-factory.ts";
export { findNearest } from "./support/nearest.ts";
export { type Check, checkOptions, type OptionTable, refuseOption, takes } from "./support/options.ts";
