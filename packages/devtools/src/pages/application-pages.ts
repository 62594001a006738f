import { type Context, inject, route } from "@tenon/core";
import type { RouteInfo } from "@tenon/core/platform";
import { view } from "@tenon/web";
import { type RouteDescription, toDescription } from "../describe.ts";
import { toEditorUrl } from "../error-text/editor-link.ts";
import { showPlace } from "../error-text/stack-frame.ts";
import { DevtoolsParts, devtoolsPath } from "../parts.ts";
import { toContractSummary } from "./contract-summary.ts";
import { groupErrors } from "./error-groups.ts";
import { toModulePicture } from "./module-picture.ts";
import { isOfPackage } from "./package-paths.ts";

/** The classes of `defineConfig()` have the names of their properties under it. */
const configKeys = Symbol.for("tenon.config-keys");

/** What the application is made of: routes, modules, configuration; and the errors that it has logged. */
export class ApplicationPages {
  readonly #parts = inject(DevtoolsParts);

  async listRoutes(ctx: Context) {
    const { routes: described } = toDescription(this.#parts.built);
    const list = this.#parts.introspection.routes.list();
    const packages = ctx.query("packages") === "1";
    const rows = described.map((route, index) => ({
      ...this.#toRoute(route),
      ...toContract(list[index]), // both have the order of the router
      isOfPackage: isOfPackage(route),
    }));
    return view("application/routes", {
      routes: rows.filter((route) => packages || !route.isOfPackage),
      packages,
      ofPackages: rows.filter((route) => route.isOfPackage).length,
    });
  }

  async listModules() {
    const { modules, injections } = toDescription(this.#parts.built);
    const used = Map.groupBy(injections, ({ name, from }) => `${from ?? ""}/${name}`);
    return view("application/modules", {
      picture: toModulePicture(modules),
      modules: modules.toReversed().map(({ name, imports, exports, declarations }) => ({
        name,
        imports,
        exports: exports.map((key) => (key.module === name ? key.name : `${key.name} of ${key.module}`)),
        declarations: declarations.map(({ file, line, ...declaration }) => ({
          ...declaration,
          isExported: exports.some((key) => key.name === declaration.name && key.module === name),
          users: [...new Set((used.get(`${name}/${declaration.name}`) ?? []).map(({ user }) => user))],
          ...this.#toPlace(file, line),
        })),
      })),
    });
  }

  async listConfiguration() {
    const { stores } = toDescription(this.#parts.built);
    const configurations = this.#parts.introspection.instances().flatMap((instance) => {
      const type = Object(instance).constructor;
      if (typeof type !== "function" || !(configKeys in type)) return [];
      const values: Readonly<Record<string, unknown>> = Object(instance).toJSON(); // every configuration has it
      return { name: type.name, variables: Object.entries(values).map(([name, value]) => ({ name, value })) };
    });
    return view("application/configuration", { configurations, stores, environment: toEnvironment() });
  }

  listErrors() {
    const { buffer, editor } = this.#parts;
    return view("application/errors", { errors: groupErrors(buffer.list(), buffer.errors, editor) });
  }

  #toRoute({ file, line, ...route }: RouteDescription) {
    return { ...route, ...this.#toPlace(file, line) };
  }

  #toPlace(file: string | undefined, line: number | undefined) {
    if (file === undefined || line === undefined) return {};
    const editorUrl = toEditorUrl({ file, line }, this.#parts.editor);
    return { place: showPlace({ file, line }), ...(editorUrl === undefined ? {} : { editorUrl }) };
  }

  routes() {
    return [
      route.get(`${devtoolsPath}/routes`, this.listRoutes),
      route.get(`${devtoolsPath}/modules`, this.listModules),
      route.get(`${devtoolsPath}/configuration`, this.listConfiguration),
      route.get(`${devtoolsPath}/errors`, this.listErrors),
    ];
  }
}

function toContract(route: RouteInfo | undefined) {
  return route?.contract === undefined ? {} : { contract: toContractSummary(route) };
}

function toEnvironment(): Readonly<Record<string, string>> {
  return {
    "Node.js": process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    process: String(process.pid),
    folder: process.cwd(),
  };
}
