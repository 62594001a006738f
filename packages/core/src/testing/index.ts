export { createTestApp, type TestAppOptions, type TestHttpApp, type TestRequestOptions } from "./test-app.ts";
