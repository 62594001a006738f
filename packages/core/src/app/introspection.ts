import { token } from "../inject/token.ts";
import type { RouteTable } from "../route/table.ts";

/** What an application is made of, for packages that look inside: `inject(Introspection)`. Read it after the start. */
export interface Introspection {
  /** The name of the platform: "api", "web", "cli", "worker". */
  readonly platform: string;
  /** The name of the module that the application starts with. */
  readonly module: string;
  readonly routes: Pick<RouteTable, "list">;
  /** Every object that the container has made, in the order of their start, and the open platform. */
  instances(): readonly unknown[];
}

export const Introspection = token<Introspection>("Introspection");

/** The port of one application. */
export class ApplicationIntrospection implements Introspection {
  readonly platform: string;
  /** Set when the modules are read. */
  module = "";
  /** Set before the first instance is made. It grows. */
  constructed: readonly { readonly instance: unknown }[] = [];
  /** Set when the platform is open. */
  opened: unknown;
  #routes: Introspection["routes"] | undefined;

  constructor(platform: string) {
    this.platform = platform;
  }

  set routes(routes: Introspection["routes"]) {
    this.#routes = routes;
  }

  get routes(): Introspection["routes"] {
    if (this.#routes !== undefined) return this.#routes;
    throw new Error("Introspection.routes was read before the routes were known. Read it in onStart() or later.");
  }

  instances(): readonly unknown[] {
    const instances = this.constructed.map(({ instance }) => instance);
    return this.opened === undefined ? instances : [...instances, this.opened];
  }
}
