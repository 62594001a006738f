import type { Contract } from "@tenon/core";
import { type DevtoolsHost, findShadows } from "@tenon/core/internal";
import type { FlatRoute, OpenApiDocument, RouteInfo } from "@tenon/core/platform";
import { collectStores } from "./collect-stores.ts";
import { findSourcePlaces, type SourcePlace } from "./source-places.ts";
import { uncoveredParamsOf } from "./uncovered-params.ts";

/** A route, for the tool. */
export interface RouteDescription extends Partial<SourcePlace> {
  /** Undefined for commands. */
  readonly method?: string;
  readonly path: string;
  readonly handler: string;
  readonly controller: string;
  readonly middlewares: readonly string[];
  readonly module?: string;
  readonly operationId?: string;
  /** Whether `endpoint()` declares what it accepts and returns. */
  readonly declared: boolean;
  /** Whether it is a socket that takes messages from its clients. */
  readonly receives?: true;
  /** Whether a guard declares a security scheme for it. */
  readonly secured: boolean;
  /** The rules of its policies: `["post owner"]`. */
  readonly policies: readonly string[];
  /** Parameters of its path about which no policy decides: `["id"]`. */
  readonly uncovered?: readonly string[];
  /** What its contract says of who may use it. */
  readonly access?: NonNullable<Contract["access"]>;
  readonly summary?: string;
  /** Routes that take paths from it without its guards: `["GET /posts/new"]`. */
  readonly shadowedBy?: readonly string[];
}

/** A class or token, and the module that declares it. */
export interface KeyDescription {
  readonly name: string;
  readonly module: string;
}

export interface DeclarationDescription extends Partial<SourcePlace> {
  readonly name: string;
  readonly kind: "class" | "token";
}

/** A module, for the tool. Its name is unique in an application. */
export interface ModuleDescription {
  readonly name: string;
  /** The names of modules. */
  readonly imports: readonly string[];
  /** What its importers see, re-exports included. */
  readonly exports: readonly KeyDescription[];
  readonly declarations: readonly DeclarationDescription[];
}

/** One `inject()`, or one use of a middleware class. */
export interface InjectionDescription {
  readonly user: string;
  /** The module in which the user is. */
  readonly module: string;
  readonly name: string;
  /** The module that declares it; undefined for what every module sees, such as `Log`. */
  readonly from?: string;
}

/** What an application sends to the process that started it with TENON_DESCRIBE. */
export interface AppDescription {
  /** The version of this message. */
  readonly tenon: 1;
  readonly platform: string;
  readonly routes: readonly RouteDescription[];
  /** On HTTP platforms. */
  readonly openapi?: OpenApiDocument;
  /** Imported modules come before those that import them; the root is last. */
  readonly modules: readonly ModuleDescription[];
  readonly injections: readonly InjectionDescription[];
  /** Where data is kept, without passwords: `{ database: "sqlite ./data/app.db" }`. */
  readonly stores: Readonly<Record<string, string>>;
  /** What these stores guarantee: `{ database: "one machine; what was answered is on its disk" }`. */
  readonly guarantees: Readonly<Record<string, string>>;
}

/** What an application is made of. Its routes are those in force. */
export function toDescription(built: DevtoolsHost["built"]): AppDescription {
  const { graph, injections, platform } = built;
  const handlers = built.router.routes.map(({ source }) => source);
  const classes = graph.nodes.flatMap(({ own }) => [...own.keys()]);
  const places = findSourcePlaces<object>([...handlers, ...classes]);
  const shadows = Map.groupBy(findShadows(built.router.routes), ({ guarded }) => guarded);
  const routes = built.routes.list().map((route, index) => {
    const [flat, handler] = [built.router.routes[index] as FlatRoute, handlers[index] as object]; // list() has the order of the router
    const shadowedBy = shadows.get(flat)?.map(({ unguarded: { method, path } }) => `${method} ${path}`);
    return {
      ...toRouteDescription(route),
      ...(shadowedBy === undefined ? {} : { shadowedBy }),
      ...places.get(handler),
    };
  });
  const instances = built.constructed.map(({ instance }) => instance);
  return {
    tenon: 1,
    platform,
    routes,
    modules: graph.nodes.map((node) => toModuleDescription(node, places)),
    injections: injections.map(({ user, module, name, from }) => ({
      user,
      module,
      name,
      ...(from === undefined ? {} : { from }),
    })),
    stores: collectStores(instances, "place"),
    guarantees: collectStores(instances, "guarantee"),
  };
}

function toRouteDescription(route: RouteInfo): RouteDescription {
  const {
    method,
    path,
    handler,
    controller,
    middlewares,
    module,
    contract,
    operationId,
    middlewareContracts,
    secured,
  } = route;
  const uncovered = uncoveredParamsOf(route);
  return {
    ...(method === undefined ? {} : { method }),
    path,
    handler,
    controller,
    middlewares,
    ...(module === undefined ? {} : { module }),
    ...(operationId === undefined ? {} : { operationId }),
    declared: contract !== undefined,
    ...(Object.keys(contract?.live?.receives ?? {}).length === 0 ? {} : { receives: true }),
    secured,
    policies: middlewareContracts.flatMap(({ policy }) => policy ?? []),
    ...(uncovered.length === 0 ? {} : { uncovered }),
    ...(contract?.access === undefined ? {} : { access: contract.access }),
    ...(contract?.summary === undefined ? {} : { summary: contract.summary }),
  };
}

function toModuleDescription(
  { name, imports, exported, own }: DevtoolsHost["built"]["graph"]["root"],
  places: ReadonlyMap<object, SourcePlace>,
): ModuleDescription {
  return {
    name,
    imports: [...imports].map((node) => node.name),
    exports: [...exported.values()].map((binding) => ({ name: binding.name, module: binding.module })),
    declarations: [...own].map(([key, binding]) => ({
      name: binding.name,
      kind: typeof key === "function" ? "class" : "token",
      ...places.get(key),
    })),
  };
}
