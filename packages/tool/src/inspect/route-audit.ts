import type { RouteDescription } from "@tenon/core/platform";
import { toSource } from "../run/source.ts";

export interface Finding {
  readonly finding: string;
  readonly route: string;
  readonly handler: string;
  /** `src/posts/posts.controller.ts:12`; undefined where it is unknown. */
  readonly source?: string;
}

const writes = ["POST", "PUT", "PATCH", "DELETE"];

/**
 * Routes that deserve a look: unguarded writes, routes with a parameter and without a policy, endpoints without a
 * contract, open routes that take from guarded ones.
 */
export function auditRoutes(routes: readonly RouteDescription[], folder = ""): Finding[] {
  const find = (finding: string, route: RouteDescription): Finding => {
    const source = toSource(route, folder);
    const found = { finding, route: describeRoute(route), handler: describeHandler(route) };
    return source === undefined ? found : { ...found, source };
  };
  return [
    ...routes
      .filter((route) => !route.secured && route.public !== true && writes.includes(route.method ?? ""))
      .map((route) => find("unguarded write", route)),
    ...routes.filter(needsPolicy).map((route) => find("no policy", route)),
    ...routes.filter((route) => !route.declared).map((route) => find("no contract", route)),
    ...routes.flatMap((route) => (route.shadowedBy ?? []).map((open) => find(`shadowed by ${open}`, route))),
  ];
}

/** The parameter of a path names an object, and a guard does not decide about it. A `*` names a file. */
function needsPolicy(route: RouteDescription): boolean {
  return (
    route.method !== undefined && route.path.includes("/:") && route.policies.length === 0 && route.public !== true
  );
}

export function describeRoute({ method, path }: RouteDescription): string {
  return method === undefined ? path : `${method} ${path}`;
}

export function describeHandler({ controller, handler }: RouteDescription): string {
  return controller === "" || handler.startsWith(`${controller}.`) ? handler : `${controller}.${handler}`;
}
