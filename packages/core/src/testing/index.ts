export type { TestRunOptions, TestRunResult } from "./run.ts";
export {
  createTestApp,
  type TestAppOptions,
  type TestCliApp,
  type TestHttpApp,
  type TestRequestOptions,
} from "./test-app.ts";
