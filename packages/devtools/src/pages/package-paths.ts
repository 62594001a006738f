import { inject } from "@tenon/core";
import { toDescription } from "../describe.ts";
import { isOwn } from "../error-text/stack-frame.ts";
import { DevtoolsParts } from "../parts.ts";

/** Whether a package serves a route, and not the application itself: the docs page, health checks, assets. */
export function isOfPackage({ file }: { readonly file?: string }): boolean {
  return file !== undefined && !isOwn(file);
}

/** The paths whose routes all come from packages. */
export class PackagePaths {
  readonly #parts = inject(DevtoolsParts);
  /** For the routes in force: to find where handlers are written takes a while. */
  #known: { readonly routes: string; readonly paths: Promise<ReadonlySet<string>> } | undefined;

  read(): Promise<ReadonlySet<string>> {
    const list = this.#parts.introspection.routes.list();
    const routes = list.map(({ method, path }) => `${method} ${path}`).join("\n");
    if (this.#known?.routes !== routes) this.#known = { routes, paths: this.#find() };
    return this.#known.paths;
  }

  async #find(): Promise<ReadonlySet<string>> {
    const { routes } = toDescription(this.#parts.built);
    const byPath = Map.groupBy(routes, ({ path }) => path);
    return new Set([...byPath].flatMap(([path, list]) => (list.every(isOfPackage) ? [path] : [])));
  }
}
