export { FakeClock, useClock } from "./fake-clock.ts";
export {
  ContractError,
  createTestApp,
  type TestAppOptions,
  type TestCliApp,
  type TestHttpApp,
  type TestRunResult,
} from "./test-app.ts";
export type { TestClient, TestRequestOptions } from "./test-client.ts";
