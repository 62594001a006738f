import type { AppDescription, Built } from "./describe.ts";
import type { Devtools } from "./platform.ts";
import type { RouteInfo } from "./table.ts";
import { token } from "./token.ts";

/** What the developer tools of an application need: `inject(Development)`. */
export interface Development {
  /** Call it in a constructor. False in production: nothing is installed there. */
  install(tools: Devtools): boolean;
  /** Modules, injections and the places of handlers in the source. Call it when the application has started. */
  describe(): Promise<AppDescription>;
}

export const Development = token<Development>("Development");

/** The port of one application. */
export class ApplicationDevelopment implements Development {
  readonly #production: boolean;
  /** Set when the application is built. */
  built: (Built & { readonly routes: { list(): RouteInfo[] } }) | undefined;
  /** What an HTTP platform serves. */
  tools: Devtools | undefined;

  constructor(production: boolean) {
    this.#production = production;
  }

  install(tools: Devtools): boolean {
    if (this.#production) return false;
    this.tools = tools;
    return true;
  }

  async describe(): Promise<AppDescription> {
    if (this.built === undefined) throw new Error("Development.describe() was called before the application was built");
    const { toDescription } = await import("./describe.ts"); // loads the inspector of node
    return toDescription(this.built, this.built);
  }
}
