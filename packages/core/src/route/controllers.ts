import type { Constructed } from "../inject/container.ts";
import { UnusableDependency } from "../inject/inject.ts";
import { labelOf, type ModuleNode } from "../inject/module-graph.ts";
import { describeValue, type Problem, quoteError } from "../support/errors.ts";
import { hasMethod } from "../support/has-method.ts";
import type { Routes } from "./route.ts";

export interface FoundController {
  readonly controller: unknown;
  readonly name: string;
  readonly node: ModuleNode;
  readonly routes: Routes;
}

/** A controller is an instance with a method `routes()`. A class that only has the name of one is a problem. */
export function findControllers(constructed: readonly Constructed[], problems: Problem[]): FoundController[] {
  const found: FoundController[] = [];
  for (const { instance, name, node } of constructed) {
    const label = labelOf(name, node);
    if (hasMethod(instance, "routes")) {
      const routes = readRoutes(instance, label, problems);
      if (routes !== undefined) found.push({ controller: instance, name, node, routes });
    } else if (name.endsWith("Controller")) {
      const message = `${label} has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.`;
      problems.push({ code: "CONTROLLER_WITHOUT_ROUTES", message });
    }
  }
  return found;
}

function readRoutes(controller: { routes(): unknown }, label: string, problems: Problem[]): Routes | undefined {
  try {
    const routes = controller.routes();
    if (Array.isArray(routes)) return routes;
    if (routes instanceof Promise) routes.catch(() => {}); // an unhandled rejection would hide the problem
    const message = `routes() of ${label} returned ${describeValue(routes)}. Return a list of routes: [this.index, this.show].`;
    problems.push({ code: "BAD_ROUTE", message });
  } catch (error) {
    if (error instanceof UnusableDependency) return undefined;
    const message = `routes() of ${label} failed: ${quoteError(error)}`;
    problems.push({ code: "ROUTES_FAILED", message, cause: error });
  }
  return undefined;
}
