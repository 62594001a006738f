import type { DeveloperAccess } from "../boot/developer-access.ts";
import type { Handler } from "../route.ts";
import type { RouteTable } from "../table.ts";
import { readManifest } from "./banner.ts";

const mostRoutes = 200;

/** What `GET /` of an API without such a route returns to its developer. */
export function createOverview(
  table: Pick<RouteTable, "list">,
  developer: Pick<DeveloperAccess, "admit">,
  docs?: string,
): Handler {
  return (ctx) => {
    if (ctx.method !== "GET" || ctx.path !== "/" || !developer.admit(ctx)) return undefined;
    const { name, version } = readManifest();
    const routes = table.list();
    return {
      name,
      ...(version === "" ? {} : { version }),
      ...(docs === undefined ? {} : { docs }),
      routes: routes.slice(0, mostRoutes).map(({ method, path }) => `${method} ${path}`),
      note: "Shown to the developer only, because there is no route GET /.",
    };
  };
}
