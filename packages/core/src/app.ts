import { type Builtin, Container } from "./di/container.ts";
import { type Key, keyName, type Provider } from "./di/token.ts";
import { readEnvironment } from "./environment.ts";
import { HttpError, type Problem, StartError } from "./errors.ts";
import { Kernel } from "./kernel.ts";
import { createLog, Log, type LogOptions } from "./log.ts";
import { createGraph, type ModuleNode } from "./module/graph.ts";
import { Lifecycle } from "./module/lifecycle.ts";
import type { Module } from "./module/module.ts";
import { compileMiddleware } from "./pipeline/compile.ts";
import { compose } from "./pipeline/compose.ts";
import type { Compiled, MiddlewareLike } from "./pipeline/middleware.ts";
import type { Platform } from "./platform/platform.ts";
import { findDuplicates, findShadows } from "./route/conflict.ts";
import { findControllers } from "./route/controllers.ts";
import { flattenRoutes } from "./route/flatten.ts";
import type { Handler } from "./route/record.ts";
import { RouteTable } from "./route/table.ts";

export interface AppOptions {
  readonly log?: LogOptions;
  /** `exit` prints one readable message and ends the process with code 1; `throw` rejects with the StartError. */
  readonly onStartError?: "exit" | "throw";
  /** Puts other factories in the place of declarations. For tests. */
  readonly override?: readonly Provider[];
}

/** An application, whatever its platform. The platform adds its own methods: `listen` and `fetch`, or `run`. */
export interface App {
  readonly routes: RouteTable;
  readonly log: Log;
  /** What `inject(key)` gives in the root module. */
  get<T>(key: Key<T>): T;
  /** Runs the `onStart()` hooks, once. The platform's methods do it by themselves. */
  start(): Promise<void>;
  /** Lets what runs finish, then runs the `onStop()` hooks in reverse. */
  stop(): Promise<void>;
}

/** Wires the modules and opens the platform's door. Every wiring mistake is reported here, all at once. */
export async function createApp<Methods>(
  module: Module,
  platform: Platform<Methods>,
  options: AppOptions = {},
): Promise<App & Methods> {
  try {
    return await buildApp(module, platform, options);
  } catch (error) {
    return failStart(error, options);
  }
}

async function buildApp<Methods>(
  module: Module,
  platform: Platform<Methods>,
  options: AppOptions,
): Promise<App & Methods> {
  const environment = readEnvironment();
  const log = createLog({ level: environment.logLevel ?? "info", color: environment.color, ...options.log });
  const problems: Problem[] = [];
  const overrides = options.override ?? [];
  const builtins = new Map<Key, Builtin>([[Log, (user) => log.child({ name: user })]]);
  const graph = createGraph(module, { overrides, builtins: new Set(builtins.keys()), problems });
  for (const { provide, factory } of overrides) if (builtins.has(provide)) builtins.set(provide, factory);

  const container = new Container(graph, builtins, problems);
  container.constructAll();

  const compiler = (node: ModuleNode, user: string) => (middleware: MiddlewareLike) =>
    compileMiddleware(middleware, { container, node, user, problems });
  const appLevel = platform.middlewares
    .map(compiler(graph.root, `${platform.name}()`))
    .filter((middleware) => middleware !== undefined);
  const routes = findControllers(container.constructed, problems).flatMap(({ controller, name, node }) =>
    flattenRoutes(
      controller.routes(),
      { name: `${name} (module "${node.name}")`, controller: name, self: controller, compile: compiler(node, name) },
      problems,
    ),
  );
  problems.push(...findDuplicates(routes));
  if (problems.length > 0) throw new StartError(problems);
  for (const warning of findShadows(routes)) log.warn(warning);

  const onLostValue = environment.production
    ? undefined
    : (name: string) => log.warn(`${name} called next() and did not return its value: return next()`);
  const chain = (middlewares: readonly Compiled[], handler: Handler) =>
    compose([...appLevel, ...middlewares], handler, onLostValue === undefined ? {} : { onLostValue });
  const table = new RouteTable(routes, {
    flatten: (added, owner, found) =>
      flattenRoutes(
        added,
        { name: owner, controller: owner, self: undefined, compile: compiler(graph.root, owner) },
        found,
      ),
    serves: (route) => platform.serves(route),
    compose: (route) => chain(route.middlewares, route.handler),
  });
  const kernel = new Kernel({
    table,
    serialize: platform.serialize,
    limits: platform.limits,
    log,
    onMiss: chain([], () => {
      throw new HttpError(404, "Not Found");
    }),
    onMalformed: chain([], () => {
      throw new HttpError(400, "Bad Request");
    }),
  });

  const lifecycle = new Lifecycle(container.constructed, log);
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  const start = () => (starting ??= lifecycle.start());
  const stop = () => (stopping ??= door.close().then(() => lifecycle.stop()));
  const door = await platform.open({ kernel, log, start, stop, failStart: (error) => failStart(error, options) });

  const app: App = {
    routes: table,
    log,
    get: <T>(key: Key<T>): T => {
      const value = container.find(graph.root, key);
      if (value === undefined) throw new Error(`${keyName(key)} is not visible in module "${graph.root.name}"`);
      return value as T; // the container keeps the key and the type of its value together
    },
    start,
    stop,
  };
  return Object.assign(app, door.methods);
}

/** One readable message and exit code 1; the stack only where somebody debugs. */
function failStart(error: unknown, options: AppOptions): never {
  if (options.onStartError === "throw" || !(error instanceof StartError)) throw error;
  const detail = isDebugging() && error.stack !== undefined ? `\n${error.stack}` : "";
  process.stderr.write(`Cannot start: ${error.message}${detail}\n`);
  process.exit(1);
}

function isDebugging(): boolean {
  try {
    const { logLevel } = readEnvironment();
    return logLevel === "debug" || logLevel === "trace";
  } catch {
    return false; // the environment itself is what is wrong
  }
}
