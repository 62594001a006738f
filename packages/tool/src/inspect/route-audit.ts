import type { RouteDescription } from "@tenon/devtools/internal";
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
 * Routes that deserve a look: writes without a guard, parameters without a policy, endpoints without a contract, open
 * routes that take from guarded ones.
 */
export function auditRoutes(routes: readonly RouteDescription[], folder = ""): Finding[] {
  const find = (finding: string, route: RouteDescription) => toFinding(finding, route, folder);
  const judged = routes.filter(speaksForMount);
  return [
    ...judged.filter(needsGuard).map((route) => find("no guard", route)),
    ...judged.filter(needsPolicy).map((route) => find(`no policy for ${toNames(route.uncovered)}`, route)),
    ...judged.filter((route) => !route.declared).map((route) => find("no contract", route)),
    ...routes.flatMap((route) => (route.shadowedBy ?? []).map((open) => find(`shadowed by ${open}`, route))),
  ];
}

/** What everyone may write on purpose: a list to read, so that no write is open unseen. */
export function listOpenWrites(routes: readonly RouteDescription[], folder = ""): Finding[] {
  const open = routes.filter(speaksForMount).filter((route) => isOpenWrite(route) && route.access === "public");
  return open.map((route) => toFinding("open to everyone", route, folder));
}

function toFinding(finding: string, route: RouteDescription, folder: string): Finding {
  const source = toSource(route, folder);
  const found = { finding, route: describeRoute(route), handler: describeHandler(route) };
  return source === undefined ? found : { ...found, source };
}

/** `route.mount()` makes twelve routes with one handler: the POST of its own path is listed for all of them. */
function speaksForMount({ handler, method, path }: RouteDescription): boolean {
  return handler !== "(mount)" || (method === "POST" && !path.endsWith("/*"));
}

function needsGuard(route: RouteDescription): boolean {
  if (route.access === "users") return route.method !== undefined && !route.secured;
  return isOpenWrite(route) && route.access !== "public";
}

function isOpenWrite({ method = "", receives, secured }: RouteDescription): boolean {
  return !secured && (receives === true || writes.includes(method));
}

/** The parameter of a path names an object, and nothing decides about it. */
function needsPolicy({ method, uncovered = [], access, secured }: RouteDescription): boolean {
  // "public" is about the login: where there is one, it does not say which users may use the id
  const isForAll = access === "users" || (access === "public" && !secured);
  return method !== undefined && uncovered.length > 0 && !isForAll;
}

function toNames(params: readonly string[] = []): string {
  return params.map((name) => (name === "*" ? name : `:${name}`)).join(", ");
}

export function describeRoute({ method, path }: RouteDescription): string {
  return method === undefined ? path : `${method} ${path}`;
}

export function describeHandler({ controller, handler }: RouteDescription): string {
  return controller === "" || handler.startsWith(`${controller}.`) ? handler : `${controller}.${handler}`;
}
