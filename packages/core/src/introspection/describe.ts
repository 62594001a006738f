import { describe, findShadows, isSecured } from "../boot/conflict.ts";
import type { FlatRoute } from "../boot/flatten.ts";
import { policiesOf, toOperationId } from "../contract.ts";
import { writtenHandlerOf } from "../endpoint.ts";
import { StartError } from "../errors.ts";
import type { Constructed, Injection } from "../inject/container.ts";
import type { Graph, ModuleNode } from "../inject/graph.ts";
import type { Module } from "../inject/module.ts";
import { type Key, keyName } from "../inject/token.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { collectStores, describeGuarantees } from "../platform.ts";
import type { RouteInfo } from "../table.ts";
import { findSourcePlaces, type SourcePlace } from "./source-places.ts";

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
  /** Whether a guard declares a security scheme for it. */
  readonly secured: boolean;
  /** The rules of its policies: `["post owner"]`. */
  readonly policies: readonly string[];
  /** Whether its contract says that it needs no guard or no policy. */
  readonly public?: boolean;
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

interface Describable {
  readonly routes: { list(): RouteInfo[] };
  openapi?(): Promise<OpenApiDocument>;
}

/** The tool sets a function of this name on the global object of its child process to run another application. */
const takeOver = Symbol.for("tenon.take-over");

/** Gives the module to the tool, which runs a command with it and ends the process: `tenon migrate`. */
export async function handOver(module: Module, options: object): Promise<void> {
  const { [takeOver]: take } = globalThis as { [takeOver]?: (module: Module, options: object) => Promise<never> }; // only the tool sets it
  await take?.(module, options);
}

/** What the start has built. */
export interface Built {
  readonly platform: string;
  readonly graph: Graph;
  readonly constructed: readonly Constructed[];
  readonly injections: readonly Injection[];
  readonly router: { readonly routes: readonly FlatRoute[] };
}

/** Whatever would start the application. */
const starters = ["start", "listen", "fetch", "run", "execute"];

/**
 * The first call that would start the application sends its description and ends the process: no `onStart()` runs, no
 * store and no port is opened. Routes that were added until then are included.
 */
export function describeInsteadOfRunning<A extends Describable>(app: A, built: Built): A {
  if (process.send === undefined) {
    const message = "TENON_DESCRIBE is set, and no process waits for the description. Remove it from the environment.";
    throw new StartError([{ code: "BAD_ENVIRONMENT", message }]);
  }
  const describe = async (): Promise<never> => {
    const message = await toDescription(app, built);
    process.send?.(message, () => process.exit(0)); // after the message is written
    return new Promise<never>(() => {});
  };
  return Object.assign(app, Object.fromEntries(starters.filter((name) => name in app).map((name) => [name, describe])));
}

/** What an application is made of. Its routes are those in force. */
export async function toDescription(app: Describable, built: Built): Promise<AppDescription> {
  const { graph, injections, platform } = built;
  const handlers = built.router.routes.map(({ source }) => writtenHandlerOf(source));
  const classes = graph.nodes.flatMap(({ own }) => [...own.keys()]);
  const places = findSourcePlaces<object>([...handlers, ...classes]);
  const shadows = Map.groupBy(findShadows(built.router.routes), ({ guarded }) => guarded);
  const routes = app.routes.list().map((route, index) => {
    const [flat, handler] = [built.router.routes[index] as FlatRoute, handlers[index] as object]; // list() has the order of the router
    const open = shadows.get(flat)?.map((shadow) => describe(shadow.open));
    return {
      ...toRouteDescription(route),
      ...(open === undefined ? {} : { shadowedBy: open }),
      ...places.get(handler),
    };
  });
  const openapi = await app.openapi?.();
  const instances = built.constructed.map(({ instance }) => instance);
  return {
    tenon: 1,
    platform,
    routes,
    ...(openapi === undefined ? {} : { openapi }),
    modules: graph.nodes.map((node) => toModuleDescription(node, places)),
    injections: injections.map(({ user, module, key, from }) => ({
      user,
      module,
      name: keyName(key),
      ...(from === undefined ? {} : { from }),
    })),
    stores: collectStores(instances),
    guarantees: collectStores(instances, describeGuarantees),
  };
}

function toRouteDescription(route: RouteInfo): RouteDescription {
  const { method, path, handler, controller, middlewares, module, contract } = route;
  const operationId = toOperationId(route);
  return {
    ...(method === undefined ? {} : { method }),
    path,
    handler,
    controller,
    middlewares,
    ...(module === undefined ? {} : { module }),
    ...(operationId === undefined ? {} : { operationId }),
    declared: contract !== undefined,
    secured: isSecured(route),
    policies: policiesOf(route),
    ...(contract?.public === true ? { public: true } : {}),
    ...(contract?.summary === undefined ? {} : { summary: contract.summary }),
  };
}

function toModuleDescription(node: ModuleNode, places: ReadonlyMap<object, SourcePlace>): ModuleDescription {
  return {
    name: node.name,
    imports: [...node.imports].map(({ name }) => name),
    exports: [...node.exported].map(([key, { module }]) => ({ name: keyName(key), module })),
    declarations: [...node.own.keys()].map((key) => toDeclarationDescription(key, places.get(key))),
  };
}

function toDeclarationDescription(key: Key, place: SourcePlace | undefined): DeclarationDescription {
  return { name: keyName(key), kind: typeof key === "function" ? "class" : "token", ...place };
}
