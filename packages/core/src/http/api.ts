import type { Devtools, OpenPlatform, Platform, PlatformParts, ResolvedPlatform } from "../app/platform.ts";
import { type Injectable, resolveOptions } from "../inject/injectable.ts";
import { accessLog } from "../middleware/access-log.ts";
import { requestId } from "../middleware/request-id.ts";
import type { MiddlewareLike } from "../request/handler.ts";
import { toOutgoing } from "../request/reply.ts";
import type { HttpApp } from "./http-app.ts";
import { type HttpOptions, type HttpSettings, toHttpSettings } from "./settings.ts";

interface PlainOptions extends HttpOptions {
  /** The application's middlewares. Defaults to `[requestId(), accessLog()]`; a list of your own replaces it. */
  readonly middlewares?: readonly MiddlewareLike[];
}

/** Each option is a value, or a function that returns it and may `inject()` what the root module sees. */
export interface ApiOptions extends Injectable<PlainOptions> {}

/** JSON over HTTP: serves the routes that have a method. */
export function api(options: ApiOptions = {}): Platform<HttpApp> {
  return { name: "api", resolve: () => resolveApi(resolveOptions<PlainOptions>(options)) };
}

function resolveApi(options: PlainOptions): ResolvedPlatform<HttpApp> {
  const { middlewares = [requestId(), accessLog()] } = options;
  const settings = toHttpSettings("api()", options, { middlewares: true });
  let devtools: Devtools | undefined;
  return {
    middlewares,
    routes: settings.docs?.routes ?? [],
    limits: settings.limits,
    errors: settings.errors,
    serves: (route) => route.method !== undefined,
    serialize: toOutgoing,
    fail: (error, ctx) => devtools?.fail(error, ctx, settings.errors),
    miss: (ctx) => devtools?.miss(ctx, settings.docs?.path),
    open(parts) {
      devtools = parts.devtools;
      return openHttp(parts, settings);
    },
  };
}

/** Opens an HTTP platform. The server is imported here, so that a command-line application loads no HTTP code. */
export async function openHttp(parts: PlatformParts, settings: HttpSettings): Promise<OpenPlatform<HttpApp>> {
  const { OpenHttp } = await import("./http-app.ts");
  const opened = new OpenHttp(parts, settings);
  const { title = parts.module, servers = [] } = settings.openapi;
  const urls = servers.map(({ url }) => url);
  await settings.docs?.load(title, urls, () => opened.methods.openapi());
  return opened;
}
