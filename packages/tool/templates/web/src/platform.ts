import { type HttpApp, inject, type Platform } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { WebSessions, web } from "@tenon/web";
import { Config } from "./config.ts";

/** The web platform, with the middlewares that run for every request. */
export function createPlatform(): Platform<HttpApp> {
  return web({
    views: new URL("../views/", import.meta.url),
    assets: new URL("../assets/", import.meta.url),
    trustedProxies: () => inject(Config).trustedProxies,
    middlewares: [requestId(), accessLog(), secureHeaders(), WebSessions],
  });
}
