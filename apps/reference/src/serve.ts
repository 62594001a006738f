import { type ApiOptions, api, createApp, type HttpApp, inject, type Module, type Platform } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import type { BlogOptions } from "./app.module.ts";
import { Config } from "./config.ts";
import { loadObserved } from "./observed.ts";

/** Starts the application and listens. */
export async function serve(
  config: Config,
  createModule: (options: Pick<BlogOptions, "observed">) => Module,
  platform: Platform<HttpApp> = createPlatform(),
): Promise<void> {
  const app = await createApp(createModule({ observed: await loadObserved(config) }), platform, { config });
  for (const warning of config.warnings) app.log.warn(warning);
  await app.listen({ port: config.port, host: config.host });
}

/** JSON over HTTP, with the middlewares of every request. */
export function createPlatform({ docs = false }: Pick<ApiOptions, "docs"> = {}): Platform<HttpApp> {
  return api({
    trustedProxies: () => inject(Config).trustedProxies,
    middlewares: [requestId(), accessLog(), secureHeaders()],
    openapi: { title: "Tenon blog", version: "0.1.0" },
    docs,
  });
}
