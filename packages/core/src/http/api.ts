import { readEnvironment } from "../boot/environment.ts";
import { describeValue } from "../errors.ts";
import { accessLog } from "../middleware/access-log.ts";
import { requestId } from "../middleware/request-id.ts";
import { checkNames, namesOf, refuseOption } from "../options.ts";
import type { OpenPlatform, Platform, PlatformParts } from "../platform.ts";
import type { Handler, MiddlewareLike } from "../record.ts";
import { toOutgoing } from "../reply.ts";
import type { HttpMethods } from "./http-methods.ts";
import { type HttpOptions, type HttpSettings, toHttpSettings } from "./settings.ts";

export interface ApiOptions extends HttpOptions {
  /** The application's middlewares. Defaults to `[requestId(), accessLog()]`; a list of your own replaces it. */
  readonly middlewares?: readonly MiddlewareLike[];
}

const optionNames = namesOf<ApiOptions>({
  middlewares: true,
  limits: true,
  trustedProxies: true,
  singleHeaders: true,
  upgrade: true,
  engine: true,
  errors: true,
  openapi: true,
  docs: true,
});

/** JSON over HTTP: serves the routes that have a method. */
export function api(options: ApiOptions = {}): Platform<HttpMethods> {
  checkNames("api()", options, optionNames);
  const { middlewares = [requestId(), accessLog()] } = options;
  if (!Array.isArray(middlewares)) {
    refuseOption(`middlewares of api() is ${describeValue(middlewares)}. Write a list: middlewares: [ … ].`);
  }
  const settings = toHttpSettings(options);
  let overview: Handler | undefined;
  return {
    name: "api",
    middlewares,
    routes: settings.docs?.routes ?? [],
    limits: settings.limits,
    errors: settings.errors,
    serves: (route) => route.method !== undefined,
    serialize: toOutgoing,
    miss: (ctx) => overview?.(ctx),
    async open(parts) {
      // where a developer looks: other clients, and tests, rely on the 404
      const hasDeveloper = parts.announce !== undefined || readEnvironment().dev !== undefined;
      if (hasDeveloper) overview = (await import("./overview.ts")).createOverview(parts.routes, settings.docs?.path);
      return openHttp(parts, settings);
    },
  };
}

/** Opens an HTTP platform. The server is imported here, so that a command-line application loads no HTTP code. */
export async function openHttp(parts: PlatformParts, settings: HttpSettings): Promise<OpenPlatform<HttpMethods>> {
  const { createHttpMethods } = await import("./http-methods.ts");
  const opened = createHttpMethods(parts, settings);
  const { title = parts.module, servers = [] } = settings.openapi;
  const urls = servers.map(({ url }) => url);
  await settings.docs?.open(title, urls, () => opened.methods.openapi());
  return opened;
}
