import { describeValue, type Problem, quoteError } from "../errors.ts";
import type { Controller, Routes } from "../record.ts";
import type { Constructed } from "./container.ts";
import { labelOf } from "./explain.ts";
import type { ModuleNode } from "./graph.ts";
import { hasMethod } from "./lifecycle.ts";
import { UnusableDependency } from "./unusable.ts";

export interface FoundController {
  readonly controller: Controller;
  readonly name: string;
  readonly node: ModuleNode;
  readonly routes: Routes;
}

/** Whatever has `routes()` is a controller. A class that is only called one is a mistake. */
export function findControllers(constructed: readonly Constructed[], problems: Problem[]): FoundController[] {
  const found: FoundController[] = [];
  for (const { instance, name, node } of constructed) {
    if (isController(instance)) {
      const routes = readRoutes(instance, labelOf(name, node), problems);
      if (routes !== undefined) found.push({ controller: instance, name, node, routes });
    } else if (hasMethod(instance, "Routes")) {
      problems.push({
        code: "CONTROLLER_WITHOUT_ROUTES",
        message: `${labelOf(name, node)} has Routes(), which nothing calls. Write routes().`,
      });
    } else if (name.endsWith("Controller")) {
      problems.push({
        code: "CONTROLLER_WITHOUT_ROUTES",
        message: `${labelOf(name, node)} has no routes() method. Add routes(): Routes, or give it another name if it is not a controller.`,
      });
    }
  }
  return found;
}

function readRoutes(controller: Controller, label: string, problems: Problem[]): Routes | undefined {
  try {
    const routes: unknown = controller.routes();
    if (Array.isArray(routes)) return routes;
    if (routes instanceof Promise) routes.catch(() => {}); // unhandled, it would end the process before the problem is told
    const message = `routes() of ${label} returned ${describeValue(routes)}. Return a list of routes: [{ method, path, handler }].`;
    problems.push({ code: "BAD_ROUTE", message });
  } catch (error) {
    if (error instanceof UnusableDependency) return undefined;
    problems.push({
      code: "ROUTES_FAILED",
      message: `routes() of ${label} failed: ${quoteError(error)}`,
      cause: error,
    });
  }
  return undefined;
}

function isController(instance: unknown): instance is Controller {
  return hasMethod(instance, "routes");
}
