import { type Builtin, Container } from "./di/container.ts";
import { labelOf } from "./di/explain.ts";
import { isKey, isProvider, type Key, keyName, type Provider } from "./di/token.ts";
import { readEnvironment } from "./environment.ts";
import { describeValue, HttpError, type Problem, StartError } from "./errors.ts";
import { Kernel } from "./kernel.ts";
import { createLog, Log, type LogOptions } from "./log.ts";
import { createGraph, type ModuleNode } from "./module/graph.ts";
import { findMisspeltHooks, isStopped, Lifecycle } from "./module/lifecycle.ts";
import type { Module } from "./module/module.ts";
import { explainUnknownNames, namesOf } from "./options.ts";
import { compileMiddleware } from "./pipeline/compile.ts";
import { type ComposeOptions, compose } from "./pipeline/compose.ts";
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
  /** How many milliseconds a stop waits for one `onStop()`, or for an interrupted command: 10,000 unless told otherwise. */
  readonly stopTimeout?: number;
}

/** An application, whatever its platform. The platform adds its own methods: `listen` and `fetch`, or `run`. */
export interface App {
  readonly routes: RouteTable;
  readonly log: Log;
  /** What `inject(key)` gives in the root module. */
  get<T>(key: Key<T>): T;
  /** Runs the `onStart()` hooks, once: a start that failed stays failed. The platform's methods do it by themselves. */
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
  const { override: overrides = [], stopTimeout = 10_000 } = options;
  const problems = checkOptions(platform, options, overrides, stopTimeout);
  if (problems.length > 0) throw new StartError(problems);
  const log = createLog({
    ...platform.log,
    ...(environment.logLevel === undefined ? {} : { level: environment.logLevel }),
    ...(environment.color ? {} : { color: false }),
    ...options.log,
  });
  const builtins = new Map<Key, Builtin>([[Log, (user) => log.child({ name: user })]]);
  const graph = createGraph(module, { overrides, builtins: new Set(builtins.keys()), problems });
  for (const override of overrides) {
    if (isProvider(override) && builtins.has(override.provide)) builtins.set(override.provide, override.factory);
  }

  const container = new Container(graph, builtins, problems);
  container.constructAll();

  const compiler = (node: ModuleNode, user: string) => (middleware: MiddlewareLike, place: string) =>
    compileMiddleware(middleware, place, { container, node, user, problems });
  const compileForPlatform = compiler(graph.root, `${platform.name}()`);
  const appLevel = platform.middlewares
    .map((middleware) => compileForPlatform(middleware, `${platform.name}()`))
    .filter((middleware) => middleware !== undefined);
  const routes = findControllers(container.constructed, problems).flatMap(({ controller, name, node, routes }) =>
    flattenRoutes(
      routes,
      { name: labelOf(name, node), controller: name, self: controller, compile: compiler(node, name) },
      problems,
    ),
  );
  const own = { name: `${platform.name}()`, controller: platform.name, self: undefined, compile: compileForPlatform };
  routes.push(...flattenRoutes(platform.routes ?? [], own, problems));
  problems.push(...findDuplicates(routes), ...findMisspeltHooks(container.constructed));
  if (problems.length > 0) throw new StartError(problems);
  for (const warning of findShadows(routes.filter((route) => platform.serves(route)))) log.warn(warning);

  const onLostValue = environment.production
    ? undefined
    : (name: string) => log.warn(`${name} called next() and did not return its value: return next()`);
  const onLostError: ComposeOptions["onLostError"] = (ctx, name, error) =>
    log.error({ err: error }, `${ctx.method} ${ctx.path}: failed after ${name} had answered without it`);
  const lost = onLostValue === undefined ? { onLostError } : { onLostError, onLostValue };
  const chain = (middlewares: readonly Compiled[], handler: Handler) =>
    compose([...appLevel, ...middlewares], handler, lost);
  const table = new RouteTable(routes, {
    flatten: (added, owner, found) => {
      const compile = compiler(graph.root, owner);
      const flat = flattenRoutes(added, { name: owner, controller: owner, self: undefined, compile }, found);
      found.push(...problems.splice(0)); // what the container and the compiler met: unread, a route would lose its guard
      return flat;
    },
    serves: (route) => platform.serves(route),
    compose: (route) => chain(route.middlewares, route.handler),
  });
  const kernel = new Kernel({
    table,
    serialize: platform.serialize,
    fail: platform.fail,
    limits: platform.limits,
    log,
    onMiss: chain([], () => {
      throw new HttpError(404, "Not Found");
    }),
    onMalformed: chain([], () => {
      throw new HttpError(400, "Bad Request");
    }),
  });

  const lifecycle = new Lifecycle(container.constructed, log, stopTimeout);
  const start = () =>
    lifecycle.start().catch((error: unknown) => {
      if (isStopped(error)) throw error; // a call that came too late, not a start that failed: no reason to exit
      return failStart(error, options);
    });
  const stop = () => lifecycle.stop(() => door.close());
  const door = await platform.open({
    kernel,
    routes: table,
    log,
    stopTimeout,
    start,
    stop,
    failStart: (error) => failStart(error, options),
  });

  const app: App = {
    routes: table,
    log,
    get: <T>(key: Key<T>): T => {
      if (!container.sees(graph.root, key)) {
        throw new Error(
          `app.get(): ${isKey(key) ? keyName(key) : describeValue(key)} is not visible in module "${graph.root.name}". Declare it there, or import a module that exports it.`,
        );
      }
      return container.resolve(graph.root, key, graph.root.name) as T; // the container keeps the key and the type of its value together
    },
    start,
    stop,
  };
  return Object.assign(app, door.methods);
}

/** One readable message and exit code 1; the stack only where somebody debugs. */
function failStart(error: unknown, options: AppOptions): never {
  if (options.onStartError === "throw" || !(error instanceof StartError)) throw error;
  const causes = error.problems.flatMap(({ cause }) => (cause instanceof Error ? [`caused by ${cause.stack}`] : []));
  const detail = isDebugging() ? ["", error.stack, ...causes].join("\n") : "";
  process.stderr.write(`Cannot start: ${error.message}${detail}\n`);
  process.exit(1);
}

const longestWait = 2 ** 31 - 1; // node takes a longer one for none at all

const optionNames = namesOf<AppOptions>({ log: true, onStartError: true, override: true, stopTimeout: true });

function checkOptions(platform: unknown, options: object, overrides: unknown, stopTimeout: number): Problem[] {
  const problems: Problem[] = [];
  const report = (message: string) => problems.push({ code: "BAD_OPTION", message });
  const unknown = explainUnknownNames(options, optionNames);
  if (unknown !== undefined) report(`createApp() has no option ${unknown}`);
  if (typeof platform !== "object" || platform === null) {
    report(`createApp() was given ${describeValue(platform)} as its platform. Pass one, for example api().`);
  }
  if (!Array.isArray(overrides)) {
    report(`override is ${describeValue(overrides)}. Write a list: override: [provide(key, factory)].`);
  }
  if (!Number.isInteger(stopTimeout) || stopTimeout < 1 || stopTimeout > longestWait) {
    report(`stopTimeout is ${String(stopTimeout)}. It takes a whole number of milliseconds from 1 to ${longestWait}.`);
  }
  return problems;
}

function isDebugging(): boolean {
  try {
    const { logLevel } = readEnvironment();
    return logLevel === "debug" || logLevel === "trace";
  } catch {
    return false; // the environment itself is what is wrong
  }
}
