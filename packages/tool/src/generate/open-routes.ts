import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { inject } from "@tenon/core";
import type { RouteDescription } from "@tenon/devtools/internal";
import { describeHandler, describeRoute } from "../inspect/route-audit.ts";
import { ApplicationError, Applications } from "../run/applications.ts";
import { toSource } from "../run/source.ts";

/** The routes that a generator of users leaves as they are. */
export class OpenRoutes {
  readonly #applications = inject(Applications);

  /** Lines about the routes of the application that need no login and do not say so. None where there is none. */
  async explain(folder: string, signal: AbortSignal): Promise<string[]> {
    const open: string[] = [];
    try {
      for (const entry of ["src/main.api.ts", "src/main.web.ts"].filter((file) => existsSync(join(folder, file)))) {
        const { routes } = await this.#applications.describe({ folder, entry, signal });
        open.push(...routes.filter(isUndecided).flatMap((route) => toLine(route, folder)));
      }
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return ["Open routes could not be listed, because the application did not start: run npx tenon routes --audit."];
    }
    const cure = 'write in their contracts a guard and access: "users", or access: "public"';
    return open.length === 0 ? [] : [`These routes are still open to everyone; ${cure}:`, ...new Set(open)];
  }
}

function isUndecided({ method, secured, access }: RouteDescription): boolean {
  return method !== undefined && !secured && access !== "public";
}

/** Not those of the framework and of other packages: their authors have decided. */
function toLine(route: RouteDescription, folder: string): string[] {
  const source = toSource(route, folder);
  if (source === undefined || isAbsolute(source) || source.startsWith("node_modules/")) return [];
  return [`  ${describeRoute(route)} (${describeHandler(route)}, ${source})`];
}
