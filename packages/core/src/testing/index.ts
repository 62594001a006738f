export { FakeClock, useClock } from "./fake-clock.ts";
export {
  ContractError,
  createTestApp,
  type TestAppOptions,
  type TestCliApp,
  type TestHttpApp,
  type TestRequestOptions,
  type TestRunResult,
} from "./test-app.ts";
