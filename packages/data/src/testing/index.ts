export { createTestStores, type TestStores } from "./test-stores.ts";
