import { ApplicationBackground } from "./background.ts";
import { compileMiddleware } from "./boot/compile-middleware.ts";
import { findDuplicates, findShadows } from "./boot/conflict.ts";
import { type Builtin, Container, type Injection } from "./boot/container.ts";
import { findContractConflicts } from "./boot/contract-conflicts.ts";
import { findControllers } from "./boot/controllers.ts";
import { type Environment, readEnvironment } from "./boot/environment.ts";
import { exitOnStartError } from "./boot/exit-on-start-error.ts";
import { flattenRoutes, toGuards } from "./boot/flatten.ts";
import { createGraph, labelOf, type ModuleNode } from "./boot/graph.ts";
import { findMisspeltHooks, isStopped, Lifecycle } from "./boot/lifecycle.ts";
import type { Module } from "./boot/module.ts";
import { isOnPrimary } from "./boot/primary.ts";
import type { Compiled } from "./compose.ts";
import { type ComposeOptions, compose } from "./compose.ts";
import type { Context } from "./context.ts";
import { type ContractMismatch, checkContract } from "./contract-check.ts";
import { ApplicationDevelopment, Development } from "./development.ts";
import { describeValue, HttpError, type Problem, StartError } from "./errors.ts";
import { Introspection } from "./introspection.ts";
import { Kernel } from "./kernel.ts";
import { createLog, Log, type LogOptions } from "./log/log.ts";
import { LogWriter } from "./log/log-writer.ts";
import { observeHandler, observeMiddleware, toRunnable } from "./observed-chain.ts";
import { explainUnknownNames, namesOf } from "./options.ts";
import { Background, type BackgroundPlatform, backgroundWork, collectStores, type Platform } from "./platform.ts";
import type { Handler, MiddlewareLike } from "./record.ts";
import { Router } from "./router.ts";
import { RouteTable, type RunnableRoute } from "./table.ts";
import { isKey, isProvider, type Key, keyName, type Provider } from "./token.ts";

export interface AppOptions {
  readonly log?: LogOptions;
  /** `exit` prints one readable message and ends the process with code 1; `throw` rejects with the StartError. */
  readonly onStartError?: "exit" | "throw";
  /** Factories that replace declarations. For tests. */
  readonly override?: readonly Provider[];
  /** Milliseconds that a stop waits for one `onStop()`, or for an interrupted command. Defaults to 10,000. */
  readonly stopTimeout?: number;
  /**
   * Compares every response of an endpoint with its contract and logs what differs; a function gets it too. Defaults to
   * true unless NODE_ENV is `production`.
   */
  readonly checkContracts?: boolean | ((mismatch: ContractMismatch) => void);
  /** Whether background work, such as jobs, starts with the application. Defaults to true, on the command line to false. */
  readonly background?: boolean;
}

/** An application. Its platform adds methods: `listen` and `fetch`, or `run`. */
export interface App {
  readonly routes: RouteTable;
  readonly log: Log;
  /** The same as `inject(key)` in the root module. */
  get<T>(key: Key<T>): T;
  /** Runs the `onStart()` hooks, once: a start that failed stays failed. The platform's methods call it. */
  start(): Promise<void>;
  /** Waits for running requests, then runs the `onStop()` hooks in reverse order. */
  stop(): Promise<void>;
}

/** Wires the modules and opens the platform. Every wiring mistake is reported here, all at once. */
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
  const description = environment.describe ? await import("./describe.ts") : undefined;
  await description?.handOver(module, options);
  const { override: overrides = [], stopTimeout = 10_000 } = options;
  const problems = checkOptions(platform, options, overrides, stopTimeout);
  if (problems.length > 0) throw new StartError(problems);
  const output = createStartOutput(environment, platform, options);
  const ownLog = createLog({
    ...(output === undefined ? {} : { destination: output }),
    ...platform.log,
    ...(environment.logLevel === undefined ? {} : { level: environment.logLevel }),
    ...(environment.color === undefined ? {} : { color: environment.color }),
    ...options.log,
  });
  const { worker } = environment;
  const log = worker === undefined ? ownLog : ownLog.child({ worker });
  const background = new ApplicationBackground(stopTimeout);
  const development = new ApplicationDevelopment(environment.production);
  const introspection: Introspection = {
    platform: platform.name,
    get module() {
      return graph.root.name;
    },
    get routes() {
      return table;
    },
    instances: () => [...container.constructed.map(({ instance }) => instance), opened],
  };
  const builtins = new Map<Key, Builtin>([
    [Log, (user) => log.child({ name: user })],
    [Background, () => background],
    [Introspection, () => introspection],
    [Development, () => development],
  ]);
  const graph = createGraph(module, { overrides, builtins: new Set(builtins.keys()), problems });
  for (const override of overrides) {
    if (isProvider(override) && builtins.has(override.provide)) builtins.set(override.provide, override.factory);
  }

  const injections: Injection[] = [];
  const isDescribed = !environment.production || description !== undefined;
  const onInject = isDescribed ? (injection: Injection) => void injections.push(injection) : undefined;
  const container = new Container(graph, builtins, problems, onInject);
  container.constructAll();

  const compiler = (node: ModuleNode, user: string) => (middleware: MiddlewareLike, place: string) =>
    compileMiddleware(middleware, place, { container, node, user, problems });
  const compileAll = (middlewares: readonly MiddlewareLike[], user: string) =>
    middlewares
      .map((middleware) => compiler(graph.root, user)(middleware, user))
      .filter((middleware) => middleware !== undefined);
  const compileForPlatform = compiler(graph.root, `${platform.name}()`);
  const appLevel = compileAll(platform.middlewares, `${platform.name}()`);
  const guards = toGuards(appLevel);
  const routes = findControllers(container.constructed, problems).flatMap(({ controller, name, node, routes }) =>
    flattenRoutes(
      routes,
      {
        name: labelOf(name, node),
        controller: name,
        module: node.name,
        guards,
        self: controller,
        compile: compiler(node, name),
      },
      problems,
    ),
  );
  const name = `${platform.name}()`;
  const own = { name, controller: platform.name, guards, self: undefined, compile: compileForPlatform };
  routes.push(...flattenRoutes(platform.routes ?? [], own, problems));
  const served = routes.filter((route) => platform.serves(route));
  problems.push(...findDuplicates(routes), ...findContractConflicts(served));
  problems.push(...findMisspeltHooks(container.constructed));
  if (problems.length > 0) throw new StartError(problems);
  for (const warning of findShadows(served)) log.warn(warning);

  const onLostValue = environment.production
    ? undefined
    : (name: string) => log.warn(`${name} called next() and did not return its value: return next()`);
  const onLostError: ComposeOptions["onLostError"] = (ctx, name, error) =>
    log.error({ err: error }, `${ctx.method} ${ctx.path}: failed after ${name} had returned another value`);
  const lost = onLostValue === undefined ? { onLostError } : { onLostError, onLostValue };
  const { checkContracts = !environment.production } = options;
  const reportMismatch = (ctx: Context, mismatch: ContractMismatch): void => {
    ctx.log.error(mismatch.message);
    if (typeof checkContracts === "function") checkContracts(mismatch);
  };
  const openRoutes = (target: Platform | BackgroundPlatform, appLevel: readonly Compiled[]) => {
    const chain = (middlewares: readonly Compiled[], handler: Handler, isObserved: boolean) => {
      const all = [...appLevel, ...middlewares];
      return compose(isObserved ? all.map(observeMiddleware) : all, handler, lost);
    };
    const router = new Router<RunnableRoute>([]);
    const table = new RouteTable(router, routes, {
      flatten: (added, owner, found) => {
        const compile = compiler(graph.root, owner);
        const flat = flattenRoutes(added, { name: owner, controller: owner, guards, self: undefined, compile }, found);
        found.push(...problems.splice(0)); // those of the container and the middlewares: ignored, a route would lose its guard
        return flat;
      },
      serves: (route) => target.serves(route),
      compose: (route, isObserved) => {
        const { controller, handlerName } = route;
        const handler = isObserved
          ? observeHandler(route.handler, { controller, handler: handlerName })
          : route.handler;
        const run = chain(route.middlewares, handler, isObserved);
        return checkContracts === false
          ? run
          : checkContract(route, run, reportMismatch, platform.errors?.rejectedStatus);
      },
    });
    const kernel = new Kernel({
      router,
      platform: target,
      log,
      production: environment.production,
      onMiss: toRunnable((isObserved) => chain([], (ctx) => miss(target, ctx), isObserved)),
      onMalformed: toRunnable((isObserved) => chain([], refuseMalformed, isObserved)),
    });
    return { kernel, router, routes: table };
  };
  const { kernel, router, routes: table } = openRoutes(platform, appLevel);

  const { constructed } = container;
  const built = { platform: platform.name, graph, constructed, injections, router };
  development.built = { ...built, routes: table };

  const lifecycle = new Lifecycle(container.constructed, log, stopTimeout);
  const { background: startsBackground = platform.background !== false } = options;
  background.onOpen = (target) => {
    const compiled = compileAll(target.middlewares, target.name);
    if (problems.length > 0) throw new StartError(problems.splice(0));
    return openRoutes(target, compiled);
  };
  const startAll = async () => {
    await lifecycle.start();
    if (startsBackground) await background.start();
  };
  const start = () =>
    startAll().catch(async (error: unknown) => {
      if (isStopped(error)) throw error; // the application was stopped first: the start did not fail, so the process does not exit
      if (background.failed) await lifecycle.stop(async () => {});
      return failStart(error, options);
    });
  const stop = () =>
    lifecycle.stop(async () => {
      await Promise.all([opened.close(), background.stop()]);
    });
  const opened = await platform.open({
    kernel,
    module: graph.root.name,
    routes: table,
    router,
    log,
    announce: output === undefined ? undefined : (text) => output.release(text),
    stores: () => collectStores(container.constructed.map(({ instance }) => instance)),
    stopTimeout,
    startPrimary: (workers) => {
      for (const { instance } of container.constructed) if (isOnPrimary(instance)) instance.onPrimary(workers);
    },
    start,
    stop,
    failStart: (error) => failStart(error, options),
    background: background.work,
    devtools: development.tools,
  });

  const app: App & { readonly [backgroundWork]: unknown } = {
    [backgroundWork]: background.work,
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
  const whole = Object.assign(app, opened.methods);
  if (description === undefined) return whole;
  return description.describeInsteadOfRunning(whole, built);
}

function miss(target: Platform | BackgroundPlatform, ctx: Context): unknown {
  const value = "miss" in target ? target.miss?.(ctx) : undefined;
  if (value !== undefined) return value;
  throw new HttpError(404, "Not Found");
}

function refuseMalformed(): never {
  throw new HttpError(400, "Bad Request");
}

/** Milliseconds for which the log lines of a start wait for the banner. */
const longestHold = 1000;

/** Standard output that keeps the log lines of the start, so that the banner of an HTTP platform comes before them. */
function createStartOutput(
  { production, test, worker, dev }: Environment,
  platform: Platform,
  { log, onStartError }: AppOptions,
): LogWriter | undefined {
  if (production || test || worker !== undefined || dev === "restart" || onStartError === "throw") return undefined;
  if (platform.log?.destination !== undefined || log?.destination !== undefined) return undefined;
  const output = new LogWriter(1);
  if (!output.isTTY && dev === undefined) return undefined;
  output.hold(longestHold);
  return output;
}

function failStart(error: unknown, options: AppOptions): never {
  if (options.onStartError === "throw") throw error;
  return exitOnStartError(error);
}

const longestWait = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond

const optionNames = namesOf<AppOptions>({
  log: true,
  onStartError: true,
  override: true,
  stopTimeout: true,
  checkContracts: true,
  background: true,
});

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
