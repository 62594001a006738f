import type { Context } from "@tenon/core";
import type { Introspection } from "@tenon/core/platform";
import { readManifest } from "./banner.ts";

const mostRoutes = 200;

/** What `GET /` of an API without such a route returns to its developer; undefined for any other request. */
export function toOverview(
  ctx: Context,
  { routes }: Pick<Introspection, "routes">,
  docs: string | undefined,
): object | undefined {
  if (ctx.method !== "GET" || ctx.path !== "/") return undefined;
  const { name, version } = readManifest();
  return {
    name,
    ...(version === "" ? {} : { version }),
    ...(docs === undefined ? {} : { docs }),
    routes: routes
      .list()
      .slice(0, mostRoutes)
      .map(({ method, path }) => `${method} ${path}`),
    note: "Shown to the developer only, because there is no route GET /.",
  };
}
