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
