import { inject, type RouteInfo, type Routes, routes } from "@tenon/core";
import { type RouteDescription, readConfigVariables } from "@tenon/core/platform";
import { view } from "@tenon/web";
import { toEditorUrl } from "@tenon/web/platform";
import { toContractSummary } from "./contract-summary.ts";
import { groupErrors, toPlaceText } from "./error-groups.ts";
import { toModulePicture } from "./module-picture.ts";
import { DevtoolsParts, devtoolsPath } from "./parts.ts";

/** What the application is made of: routes, modules, configuration; and the errors that it has logged. */
export class ApplicationPages {
  readonly #parts = inject(DevtoolsParts);

  routes(): Routes {
    return routes([
      { method: "GET", path: `${devtoolsPath}/routes`, handler: this.listRoutes },
      { method: "GET", path: `${devtoolsPath}/modules`, handler: this.listModules },
      { method: "GET", path: `${devtoolsPath}/configuration`, handler: this.listConfiguration },
      { method: "GET", path: `${devtoolsPath}/errors`, handler: this.listErrors },
    ]);
  }

  async listRoutes() {
    const { routes: described } = await this.#parts.development.describe();
    const list = this.#parts.introspection.routes.list();
    return view("application/routes", {
      routes: described.map((route, index) => ({ ...this.#toRoute(route), ...toContract(list[index]) })), // both have the order of the router
    });
  }

  async listModules() {
    const { modules, injections } = await this.#parts.development.describe();
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
    const { stores } = await this.#parts.development.describe();
    const configurations = this.#parts.introspection.instances().flatMap((instance) => {
      const variables = readConfigVariables(instance);
      return variables === undefined ? [] : { name: nameOf(instance), variables };
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
    return { place: toPlaceText({ file, line }), ...(editorUrl === undefined ? {} : { editorUrl }) };
  }
}

function toContract(route: RouteInfo | undefined) {
  return route?.contract === undefined ? {} : { contract: toContractSummary(route.contract, route.guards) };
}

function nameOf(instance: unknown): string {
  return (instance as object).constructor.name; // a configuration is an instance of a class
}

function toEnvironment(): Readonly<Record<string, string>> {
  return {
    "Node.js": process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    process: String(process.pid),
    folder: process.cwd(),
  };
}
