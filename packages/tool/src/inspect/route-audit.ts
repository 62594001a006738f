import type { RouteDescription } from "@tenon/core/platform";
import { toSource } from "../run/source.ts";

export interface Finding {
  readonly finding: string;
  readonly route: string;
  readonly handler: string;
  /** `src/posts/posts.controller.ts:12`; undefined where it is unknown. */
  readonly source?: string;
}

interface Shape {
  /** Static text; undefined for a parameter. */
  readonly segments: readonly (string | undefined)[];
  readonly isWildcard: boolean;
}

const writes = ["POST", "PUT", "PATCH", "DELETE"];

/**
 * Routes that deserve a look: unguarded writes, endpoints without a contract, open routes that take from guarded ones.
 * `isFramework` tells the routes of the framework, such as the docs page, whose contract is not the application's to write.
 */
export function auditRoutes(
  routes: readonly RouteDescription[],
  folder = "",
  isFramework: (route: RouteDescription) => boolean = () => false,
): Finding[] {
  const find = (finding: string, route: RouteDescription): Finding => {
    const source = toSource(route, folder);
    const found = { finding, route: describeRoute(route), handler: describeHandler(route) };
    return source === undefined ? found : { ...found, source };
  };
  return [
    ...routes
      .filter((route) => !route.secured && route.public !== true && writes.includes(route.method ?? ""))
      .map((route) => find("unguarded write", route)),
    ...routes.filter((route) => !route.declared && !isFramework(route)).map((route) => find("no contract", route)),
    ...routes.flatMap((route) =>
      routes
        .filter((other) => isShadowedBy(other, route))
        .map((other) => find(`shadowed by ${describeRoute(route)}`, other)),
    ),
  ];
}

export function describeRoute({ method, path }: RouteDescription): string {
  return method === undefined ? path : `${method} ${path}`;
}

export function describeHandler({ controller, handler }: RouteDescription): string {
  return controller === "" || handler.startsWith(`${controller}.`) ? handler : `${controller}.${handler}`;
}

/** Whether an open route takes requests that the pattern of a guarded one matches too. */
function isShadowedBy(guarded: RouteDescription, open: RouteDescription): boolean {
  if (!guarded.secured || open.secured || guarded.method !== open.method || open.method === undefined) return false;
  const [first, second] = [toShape(open.path), toShape(guarded.path)];
  return overlaps(first, second) && comesBefore(first, second);
}

function toShape(path: string): Shape {
  const parts = path.replace(/^\//, "").split("/");
  const isWildcard = parts.at(-1) === "*";
  if (isWildcard) parts.pop();
  return { segments: parts.map((part) => (part.startsWith(":") ? undefined : part)), isWildcard };
}

function overlaps(a: Shape, b: Shape): boolean {
  const [short, long] = a.segments.length <= b.segments.length ? [a, b] : [b, a];
  if (!short.isWildcard && short.segments.length !== long.segments.length) return false;
  // a wildcard takes at least one segment
  if (long.segments.length === short.segments.length && a.isWildcard !== b.isWildcard) return false;
  return short.segments.every((segment, index) => {
    const other = long.segments[index];
    if (segment === undefined) return other !== ""; // a parameter is never empty
    return other === undefined ? segment !== "" : segment === other;
  });
}

/** The order in which routes are matched, as docs/routing.md describes it. */
function comesBefore(a: Shape, b: Shape): boolean {
  const order =
    Number(a.isWildcard) - Number(b.isWildcard) ||
    (a.isWildcard ? staticPrefix(b) - staticPrefix(a) : 0) ||
    staticCount(b) - staticCount(a) ||
    b.segments.length - a.segments.length;
  if (order !== 0) return order < 0;
  const difference = a.segments.findIndex((segment, index) => isParameter(segment) !== isParameter(b.segments[index]));
  return difference !== -1 && !isParameter(a.segments[difference]);
}

function staticCount({ segments }: Shape): number {
  return segments.filter((segment) => !isParameter(segment)).length;
}

function staticPrefix({ segments }: Shape): number {
  const end = segments.findIndex(isParameter);
  return end === -1 ? segments.length : end;
}

function isParameter(segment: string | undefined): boolean {
  return segment === undefined;
}
