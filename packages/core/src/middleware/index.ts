export { accessLog } from "./access-log.ts";
export { type RequestIdOptions, requestId } from "./request-id.ts";
