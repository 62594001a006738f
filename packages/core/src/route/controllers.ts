import type { Constructed } from "../inject/container.ts";
import { labelOf, type ModuleNode } from "../inject/graph.ts";
import { UnusableDependency } from "../inject/inject.ts";
import { sourceOf } from "../request/endpoint.ts";
import { describeValue, type Problem, quoteError } from "../support/errors.ts";
import { hasMethod } from "../support/has-method.ts";
import type { Route, Routes } from "./route.ts";

export interface FoundController {
  readonly controller: unknown;
  readonly name: string;
  readonly node: ModuleNode;
  readonly routes: Routes;
}

/** A controller is an instance with a method `routes()`. A class that only has the name of one is a mistake. */
export function findControllers(constructed: readonly Constructed[], problems: Problem[]): FoundController[] {
  const found: FoundController[] = [];
  for (const { instance, name, node } of constructed) {
    const label = labelOf(name, node);
    if (hasMethod(instance, "routes")) {
      const routes = readRoutes(instance, label, problems);
      if (routes !== undefined) found.push({ controller: instance, name, node, routes });
    } else if (hasMethod(instance, "Routes")) {
      const message = `${label} has Routes(), which nothing calls. Write routes().`;
      problems.push({ code: "CONTROLLER_WITHOUT_ROUTES", message });
    } else if (name.endsWith("Controller")) {
      const message = `${label} has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.`;
      problems.push({ code: "CONTROLLER_WITHOUT_ROUTES", message });
    }
  }
  return found;
}

/** Routes in fields of a class without `routes()`. A controller may list them: `handlers` are those of all routes. */
export function findLostRoutes(constructed: readonly Constructed[], handlers: ReadonlySet<unknown>): Problem[] {
  return constructed.flatMap(({ instance, name, node }): Problem[] => {
    if (Object(instance).constructor?.name !== name) return []; // not of a class, but what a factory has made
    if (hasMethod(instance, "routes") || name.endsWith("Controller")) return [];
    const lost = fieldsWithRoutes(instance).filter(
      ([, { handler }]) => handler === undefined || !handlers.has(sourceOf(handler)),
    );
    if (lost.length === 0) return [];
    const list = lost.map(([field]) => `this.${field}`).join(", ");
    const message = `${labelOf(name, node)} has routes and no routes() method: nothing serves them. Add routes() { return [${list}]; }.`;
    return [{ code: "CONTROLLER_WITHOUT_ROUTES", message }];
  });
}

/** Routes that are fields of a controller, and that nothing serves because `routes()` does not return them. */
export function findUnlisted({ controller, name, node, routes }: FoundController): string[] {
  const listed = new Set(withChildren(routes));
  return fieldsWithRoutes(controller)
    .filter(([, value]) => !listed.has(value))
    .map(
      ([field]) => `${field} of ${labelOf(name, node)} is a route that routes() does not return: nothing serves it.`,
    );
}

function withChildren(routes: Routes): Route[] {
  return routes.flatMap((route) => [route, ...withChildren(route.children ?? [])]);
}

function fieldsWithRoutes(instance: unknown): [field: string, route: Route][] {
  return Object.entries(Object(instance)).filter((entry): entry is [string, Route] => isRoute(entry[1]));
}

function isRoute(value: unknown): value is Route {
  if (typeof value !== "object" || value === null || !("path" in value) || !("handler" in value)) return false;
  return typeof value.path === "string" && typeof value.handler === "function";
}

function readRoutes(controller: { routes(): unknown }, label: string, problems: Problem[]): Routes | undefined {
  try {
    const routes = controller.routes();
    if (Array.isArray(routes)) return routes;
    if (routes instanceof Promise) routes.catch(() => {}); // an unhandled rejection would crash the process first
    const message = `routes() of ${label} returned ${describeValue(routes)}. Return a list of routes: [this.index, this.show].`;
    problems.push({ code: "BAD_ROUTE", message });
  } catch (error) {
    if (error instanceof UnusableDependency) return undefined;
    // a handler that is called here finds no context
    const isCalled = error instanceof TypeError && error.message.includes("of undefined");
    const cure = isCalled ? " A route names its handler and does not call it: handler: this.index." : "";
    const message = `routes() of ${label} failed: ${quoteError(error)}${cure}`;
    problems.push({ code: "ROUTES_FAILED", message, cause: error });
  }
  return undefined;
}
