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
