export { type FuzzedOperation, type FuzzOptions, type FuzzReport, fuzzContract } from "./fuzz-contract.ts";
export {
  ContractError,
  createTestApp,
  type TestAppOptions,
  type TestCliApp,
  type TestHttpApp,
  type TestRequestOptions,
  type TestRunOptions,
  type TestRunResult,
} from "./test-app.ts";
