import type { HttpMethods, Platform } from "@tenon/core";
import { WebSessions, web } from "@tenon/web";

/** Stands for the platform of the application, which the tests of pages import. It is not generated. */
export function createPlatform(): Platform<HttpMethods> {
  return web({ views: new URL("../views/", import.meta.url), middlewares: [WebSessions] });
}
