import { describeValue } from "../errors.ts";
import type { HttpMethods } from "../http/door.ts";
import { type HttpOptions, toHttpSettings } from "../http/settings.ts";
import { accessLog } from "../middleware/access-log.ts";
import { requestId } from "../middleware/request-id.ts";
import { checkNames, namesOf, refuseOption } from "../options.ts";
import { toJsonOutgoing } from "../pipeline/json-outgoing.ts";
import type { MiddlewareLike } from "../pipeline/middleware.ts";
import type { Platform } from "./platform.ts";

export interface ApiOptions extends HttpOptions {
  /** Of the application. The default is `[requestId(), accessLog()]`: a list of your own replaces it. */
  readonly middlewares?: readonly MiddlewareLike[];
}

const optionNames = namesOf<ApiOptions>({ middlewares: true, limits: true, trustedProxies: true });

/** JSON over HTTP: serves the routes that have a method. */
export function api(options: ApiOptions = {}): Platform<HttpMethods> {
  checkNames("api()", options, optionNames);
  const { middlewares = [requestId(), accessLog()] } = options;
  if (!Array.isArray(middlewares)) {
    refuseOption(`middlewares of api() is ${describeValue(middlewares)}. Write a list: middlewares: [ … ].`);
  }
  const settings = toHttpSettings(options);
  return {
    name: "api",
    middlewares,
    limits: settings.limits,
    serves: (route) => route.method !== undefined,
    serialize: toJsonOutgoing,
    async open(parts) {
      // loaded here, so that a command-line application loads no HTTP code
      const { createHttpDoor } = await import("../http/door.ts");
      return createHttpDoor(parts, settings);
    },
  };
}
