export { type FuzzOptions, type FuzzReport, fuzzContract } from "./fuzz-contract.ts";
export type { FuzzedOperation } from "./operation.ts";
