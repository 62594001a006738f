import type { HttpMethods, Platform } from "@tenon/core";
import { accessLog, requestId } from "@tenon/core/middleware";
import { pageHeaders, WebSessions, web } from "@tenon/web";

/** Pages over HTTP, with what every request passes through. */
export function createPagesPlatform(): Platform<HttpMethods> {
  return web({
    views: new URL("../../views/", import.meta.url),
    assets: new URL("../../assets/", import.meta.url),
    middlewares: [requestId(), accessLog(), pageHeaders(), WebSessions],
  });
}
