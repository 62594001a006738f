import { parsePattern } from "@tenon/core/internal";
import type { RouteInfo } from "@tenon/core/platform";

/** The parameters of the path about which no policy decides. The `*` of a GET names a file to read. */
export function uncoveredParamsOf({
  method,
  path,
  middlewareContracts,
}: Pick<RouteInfo, "method" | "path" | "middlewareContracts">): string[] {
  const covers = middlewareContracts.map(({ covers = [] }) => covers);
  if (covers.includes("path")) return [];
  const { params, wildcard } = parsePattern(path);
  const names = [...params.map(({ name }) => name), ...(wildcard && method !== "GET" ? ["*"] : [])];
  return names.filter((name) => !covers.some((covered) => covered.includes(name)));
}
