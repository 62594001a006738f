import type { HttpMethods, Platform } from "@tenon/core";
import { accessLog, requestId } from "@tenon/core/middleware";
import { pageHeaders, WebSessions, web } from "@tenon/web";

/** The web platform, with the middlewares that run for every request. */
export function createPagesPlatform(): Platform<HttpMethods> {
  return web({
    views: new URL("../../views/", import.meta.url),
    assets: new URL("../../assets/", import.meta.url),
    middlewares: [requestId(), accessLog(), pageHeaders(), WebSessions],
  });
}
