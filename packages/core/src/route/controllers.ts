import type { Constructed } from "../di/container.ts";
import type { Problem } from "../errors.ts";
import type { ModuleNode } from "../module/graph.ts";
import type { Controller } from "./record.ts";

export interface FoundController {
  readonly controller: Controller;
  readonly name: string;
  readonly node: ModuleNode;
}

/** Whatever has `routes()` is a controller. A class that is only called one is a mistake. */
export function findControllers(constructed: readonly Constructed[], problems: Problem[]): FoundController[] {
  const found: FoundController[] = [];
  for (const { instance, name, node } of constructed) {
    if (isController(instance)) found.push({ controller: instance, name, node });
    else if (name.endsWith("Controller")) {
      problems.push({
        code: "CONTROLLER_WITHOUT_ROUTES",
        message: `${name} (module "${node.name}") has no routes() method. Add routes(): Routes, or give it another name if it is not a controller.`,
      });
    }
  }
  return found;
}

function isController(instance: unknown): instance is Controller {
  return (
    typeof instance === "object" && instance !== null && "routes" in instance && typeof instance.routes === "function"
  );
}
