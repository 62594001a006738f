import type { Handler } from "../record.ts";
import type { RouteTable } from "../table.ts";
import { readManifest } from "./banner.ts";
import { isLocalRequest } from "./local-request.ts";

const mostRoutes = 200;

/** What `GET /` of an API without such a route returns to its developer, for requests of this machine only. */
export function createOverview(table: Pick<RouteTable, "list">, docs?: string): Handler {
  return (ctx) => {
    if (ctx.method !== "GET" || ctx.path !== "/" || !isLocalRequest(ctx)) return undefined;
    const { name, version } = readManifest();
    const routes = table.list();
    return {
      name,
      ...(version === "" ? {} : { version }),
      ...(docs === undefined ? {} : { docs }),
      routes: routes.slice(0, mostRoutes).map(({ method, path }) => `${method} ${path}`),
      note: "Shown in development on this machine only, because there is no route GET /.",
    };
  };
}
