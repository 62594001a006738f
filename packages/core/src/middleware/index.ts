export { accessLog } from "./access-log.ts";
export { bodyLimit } from "./body-limit.ts";
export { type CompressOptions, compress } from "./compress.ts";
export { type CorsOptions, cors } from "./cors.ts";
export { type CounterStore, MemoryCounterStore } from "./memory-counter-store.ts";
export { networkOf, type RateLimitOptions, rateLimit } from "./rate-limit.ts";
export { requestId } from "./request-id.ts";
export { type SecureHeadersOptions, secureHeaders } from "./secure-headers.ts";
export { type StaticFilesOptions, staticFiles } from "./static-files.ts";
