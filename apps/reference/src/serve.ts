import { type ApiOptions, api, createApp, type HttpMethods, type Module, type Platform } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import type { BlogOptions } from "./app.module.ts";
import { type Config, type ConfigDefaults, readConfigOrExit } from "./config.ts";
import { readFlagsOrExit } from "./flags.ts";
import { loadObserved } from "./observed.ts";

/** Reads the flags and the configuration, starts the application and listens. A bad value stops the start with a message that names it. */
export async function serve(
  defaults: ConfigDefaults,
  createModule: (config: Config, options: Pick<BlogOptions, "observed">) => Module,
  createHttpPlatform: (config: Config) => Platform<HttpMethods> = createPlatform,
): Promise<void> {
  const config = readConfigOrExit(defaults, readFlagsOrExit());
  const module = createModule(config, { observed: await loadObserved(config) });
  const app = await createApp(module, createHttpPlatform(config));
  for (const warning of config.warnings) app.log.warn(warning);
  await app.listen({ port: config.port, host: config.host });
}

/** JSON over HTTP, with the middlewares of every request. */
export function createPlatform({
  trustedProxies = [],
  docs = false,
}: Partial<Pick<Config, "trustedProxies"> & Pick<ApiOptions, "docs">> = {}): Platform<HttpMethods> {
  return api({
    trustedProxies,
    middlewares: [requestId(), accessLog(), secureHeaders()],
    openapi: { title: "Tenon blog", version: "0.1.0" },
    docs,
  });
}
