import { type Environment, readDeveloperSecret, readEnvironment, readVariables } from "../config/environment.ts";
import { exitOnStartError } from "../config/exit-on-start-error.ts";
import { type Builtin, type Constructed, Container, type Injection } from "../inject/container.ts";
import { GivenConfig } from "../inject/given-config.ts";
import type { Module } from "../inject/module.ts";
import { createGraph, type ModuleNode } from "../inject/module-graph.ts";
import { type Key, keyName, type Provider } from "../inject/token.ts";
import { createLog, Log, type LogOptions } from "../log/log.ts";
import { LogWriter } from "../log/log-writer.ts";
import type { UndeclaredResponse } from "../request/contract-check.ts";
import type { RouteTable } from "../route/table.ts";
import { Clock } from "../support/clock.ts";
import type { Problem } from "../support/errors.ts";
import { checkOptions, type OptionTable, takes } from "../support/options.ts";
import { ApplicationRoutes } from "./application-routes.ts";
import { type DevtoolsHost, type DevtoolsPackage, loadDevtools } from "./development.ts";
import { Introspection } from "./introspection.ts";
import { isOnPrimary, isStopped, Lifecycle } from "./lifecycle.ts";
import {
  ApplicationBackground,
  Background,
  backgroundWork,
  type Devtools,
  type DevtoolsOptions,
  type NamedPlatform,
  type OpenPlatform,
  type Platform,
} from "./platform.ts";
import { describeOnStart, loadToolPort } from "./tool-port.ts";

/** `Config` are the values of the config classes that the module of the application declares and imports. */
export interface AppOptions<Config = unknown> {
  /**
   * Values of the configuration, which take precedence over the environment, or an instance of the config class, which is
   * used as it is.
   */
  readonly config?: unknown extends Config ? object : { readonly [Name in keyof Config]?: Config[Name] | undefined };
  readonly log?: LogOptions;
  /** `exit` prints one readable message and ends the process with code 1; `throw` rejects with the StartError. */
  readonly onStartError?: "exit" | "throw";
  /** Factories that replace declarations. For tests. */
  readonly override?: readonly Provider[];
  /** Milliseconds that a stop waits for all `onStop()` together, for jobs, or for an interrupted command. Defaults to 10,000. */
  readonly stopTimeout?: number;
  /**
   * Compares every response of an endpoint with its contract and logs what differs; a function gets it too. Defaults to
   * true unless NODE_ENV is `production`.
   */
  readonly checkContracts?: boolean | ((response: UndeclaredResponse) => void);
  /** Whether background work, such as jobs, starts with the application. Defaults to true, on the command line to false. */
  readonly background?: boolean;
  /** Options of `@tenon/devtools`, or false to leave it out. It is loaded under `tenon dev` and with TENON_DEV=1, if it is installed. */
  readonly devtools?: DevtoolsOptions | false;
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

/** Wires the modules and opens the platform. Every problem of the wiring is reported here, all at once. */
export async function createApp<Methods, Config>(
  module: Module<Config>,
  platform: Platform<Methods>,
  options: AppOptions<NoInfer<Config>> = {},
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
  const problems: Problem[] = [];
  const environment = readEnvironment(readVariables(), process.versions.node, problems);
  const { production, describe } = environment;
  const tool = describe ? await loadToolPort() : undefined;
  await tool?.takeOver?.(module, options);
  checkOptions("createApp()", options, appOptionTable);
  const { stopTimeout = defaultStopTimeout, checkContracts = !production, override: overrides = [] } = options;
  const tools = await loadTools(environment, options);
  const { log, output } = openLog(environment, platform, options, tools);

  // these two are injected before what they read is made: their functions are called later
  const background = new ApplicationBackground(stopTimeout, (other) => routing.composeFor(other, false));
  let opened: OpenPlatform<Methods> | undefined;
  const introspection: Introspection = {
    platform: platform.name,
    module: module.name,
    get routes() {
      return routes;
    },
    instances: () => [...constructed.map(({ instance }) => instance), ...(opened === undefined ? [] : [opened])],
  };
  const clock = new Clock();
  const builtins = new Map<Key, Builtin>([
    [Log, (user) => log.child({ name: user })],
    [Clock, () => clock],
    [Background, () => background],
    [Introspection, () => introspection],
  ]);
  const graph = createGraph(module, { overrides, builtins, config: new GivenConfig(options.config), problems });
  for (const { provide, factory } of overrides) if (builtins.has(provide)) builtins.set(provide, factory);
  const injections: Injection[] = [];
  const onInject = !production || describe ? (found: Injection) => void injections.push(found) : undefined;
  const container = new Container(graph, builtins, problems, onInject);
  const { constructed } = container;
  container.constructAll();

  const { name } = platform;
  const resolved = container.run(graph.root, `${name}()`, () => ({ ...platform.resolve(), name }));
  const routing = new ApplicationRoutes({ log, problems, graph, container, production, checkContracts }, resolved);
  const target = resolved as NamedPlatform<Methods>; // else its problem was thrown
  const { kernel, router, routes } = routing.composeFor(target, true);
  const built = { platform: name, graph, constructed, injections, router, routes };
  const devtools = openDevtools(tools, environment, { built, introspection, log }, options);

  const lifecycle = new Lifecycle(toStarted(constructed, graph.root, devtools), log, stopTimeout);
  const { background: startsBackground = platform.background !== false } = options;
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
      await Promise.all([opened?.close(), background.stop()]);
    });
  opened = await target.open({
    kernel,
    module: module.name,
    routes,
    router,
    log,
    announce: output === undefined ? undefined : (text) => output.write(text),
    stopTimeout,
    startPrimary(workers) {
      for (const { instance } of constructed) if (isOnPrimary(instance)) instance.onPrimary(workers);
    },
    start,
    stop,
    failStart: (error) => failStart(error, options),
    background: background.work,
    devtools,
  });
  const app: App & { readonly [backgroundWork]: unknown } = {
    [backgroundWork]: background.work,
    routes,
    log,
    get<T>(key: Key<T>) {
      if (container.sees(graph.root, key)) return container.resolve(graph.root, key, graph.root.name) as T; // the container keeps the key and the type of its value together
      throw new Error(
        `app.get(): module "${module.name}" does not see ${keyName(key)}. Import a module that exports it.`,
      );
    },
    start,
    stop,
  };
  const complete = Object.assign(app, opened.methods);
  return tool === undefined ? complete : describeOnStart(complete, built, tool);
}

/** The log of an application. The banner is written to `output` too, so that the order is kept; undefined without one. */
function openLog(
  environment: Environment,
  platform: Platform,
  options: AppOptions,
  tools: DevtoolsPackage | undefined,
) {
  const { logLevel, color, production, worker } = environment;
  const output = hasBanner(environment, platform, options) ? new LogWriter(1) : undefined;
  const logOptions: LogOptions = {
    ...(output === undefined ? {} : { destination: output }),
    ...platform.log,
    ...(logLevel === undefined ? {} : { level: logLevel }),
    ...(color === undefined ? {} : { color }),
    ...options.log,
  };
  const log = createLog(logOptions, !production, tools?.toReadableLine);
  return { output, log: worker === undefined ? log : log.child({ worker }) };
}

/** What has hooks, the developer tools first. The list of the container grows while hooks run, so it is not copied. */
function* toStarted(
  constructed: readonly Constructed[],
  root: ModuleNode,
  devtools: Devtools | undefined,
): Generator<Constructed> {
  if (devtools !== undefined) yield { instance: devtools, name: "@tenon/devtools", node: root };
  yield* constructed;
}

/** The developer tools. Undefined outside development, and where they are not installed. */
async function loadTools(
  { dev, describe }: Environment,
  { devtools }: AppOptions,
): Promise<DevtoolsPackage | undefined> {
  return dev === undefined || describe || devtools === false ? undefined : loadDevtools();
}

function openDevtools(
  tools: DevtoolsPackage | undefined,
  environment: Environment,
  { built, introspection, log }: Pick<DevtoolsHost, "built" | "introspection" | "log">,
  { devtools: options = {} }: AppOptions,
): Devtools | undefined {
  const secret = readDeveloperSecret(environment);
  if (secret === undefined || options === false) return undefined;
  return tools?.openDevtools({ secret, built, introspection, log: log.child({ name: "devtools" }), options });
}

/** Whether an HTTP platform prints its banner, to standard output beside the log. */
function hasBanner({ test, worker, dev }: Environment, platform: Platform, { log, onStartError }: AppOptions): boolean {
  if (test || worker !== undefined || dev !== "start" || onStartError === "throw") return false;
  const { destination } = { ...platform.log, ...log };
  return destination === undefined;
}

function failStart(error: unknown, options: AppOptions): never {
  if (options.onStartError === "throw") throw error;
  return exitOnStartError(error);
}

const defaultStopTimeout = 10_000;
const longestWait = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond

export const appOptionTable: OptionTable<AppOptions> = {
  config: true,
  log: true, // createLog() checks it
  onStartError: true,
  override: true,
  stopTimeout: takes.wholeNumber(1, longestWait),
  checkContracts: true,
  background: true,
  devtools: true, // openDevtools() checks it
};
