export type { DevtoolsHost } from "./app/development.ts";
export { isMetricSource } from "./app/metric.ts";
export { type Devtools, describeStores } from "./app/platform.ts";
export { connectToPrimary, type WorkerPort } from "./app/primary.ts";
export { stopOnSignals } from "./app/signals.ts";
export { defaultRequestLimits, type RequestLimits } from "./body/body-reader.ts";
export { serializeCookie } from "./body/cookies.ts";
export { isForm } from "./body/form.ts";
export { isToken } from "./body/grammar.ts";
export { type Input, readJsonInput } from "./body/input.ts";
export { parseQuery } from "./body/query.ts";
export { toCommands } from "./cli/commands.ts";
export { readConfigVariables } from "./config/config.ts";
export { readEnvironment } from "./config/environment.ts";
export { findForgery, isOrigin, unsafeMethods } from "./http/foreign-origin.ts";
export { toHttpSettings } from "./http/settings.ts";
export { type Injectable, resolveOptions } from "./inject/injectable.ts";
export type { ConfigIn } from "./inject/module.ts";
export type { Key } from "./inject/token.ts";
export { isSecretInput, redacted } from "./log/log-redact.ts";
export { SafePaths } from "./log/safe-urls.ts";
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
export { requestStore, trace } from "./request/channels.ts";
export { leasesOf, type RequestContext, releaseRequest } from "./request/context.ts";
export type { FailuresOf, InputOf, ParamsOf } from "./request/contract-types.ts";
export { type PathOf, withSource } from "./request/endpoint.ts";
export { formatError } from "./request/error-format.ts";
export { toLocation } from "./request/headers.ts";
export { logError } from "./request/kernel.ts";
export { findShadows } from "./route/shadows.ts";
export { validate } from "./schema/bind.ts";
export { findMismatches } from "./schema/check.ts";
export { Field } from "./schema/field.ts";
export { parseTimestamp } from "./schema/formats.ts";
export type { Returned } from "./schema/returned.ts";
export { findSchemaIssues } from "./schema/schema-issues.ts";
export { compileSelect, ReturnedMismatch } from "./schema/select.ts";
export type { InferInput, InferOutput } from "./schema/standard-schema.ts";
export { runInBatches } from "./support/batches.ts";
export { BoundedMap } from "./support/bounded-map.ts";
export { parseDuration } from "./support/duration.ts";
export { causesOf, describeValue, toHttpError, tooManyRequests } from "./support/errors.ts";
export { digest, ExpiringRecords, type RecordStore } from "./support/expiring-records.ts";
export { endsInTime } from "./support/in-time.ts";
export { findNearest } from "./support/nearest.ts";
export { type Check, checkOptions, type OptionTable, refuseOption, takes } from "./support/options.ts";
export { parsePattern } from "./support/pattern.ts";
export { parseSettingUrl } from "./support/setting-url.ts";
export { keepsLongStacks } from "./support/stack-limit.ts";
