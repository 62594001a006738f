export type { ActorOption } from "./access/actors.ts";
export { type FuzzAccessOptions, type FuzzAccessReport, fuzzAccess } from "./access/fuzz-access.ts";
export { AccessError, type AccessFinding } from "./access/report.ts";
export type { FindingKind } from "./access/step.ts";
export { type FuzzOptions, type FuzzReport, fuzzContract } from "./fuzz-contract.ts";
export type { ActorHeaders, FuzzedOperation } from "./operation.ts";
