import type { RequestLimits } from "./body/body-reader.ts";
import type { FlatRoute } from "./boot/flatten.ts";
import type { WorkerPort } from "./boot/primary.ts";
import type { Context } from "./context.ts";
import type { ContextTools } from "./context-tools.ts";
import type { ErrorFormat } from "./error-format.ts";
import type { Log, LogOptions } from "./log/log.ts";
import type { MiddlewareLike, Routes } from "./record.ts";
import type { Outgoing, Reply } from "./reply.ts";
import type { Incoming } from "./request.ts";
import type { Router } from "./router.ts";
import type { RouteTable, RunnableRoute } from "./table.ts";
import { token } from "./token.ts";

/** Handles a request. Neither throws nor rejects. */
export interface RequestHandler {
  handle(incoming: Incoming): Outgoing | Promise<Outgoing>;
}

/** Developer tools that an HTTP platform serves beside the application. */
export interface Devtools {
  /** Where they are: `/_dev`. The banner shows it. */
  readonly path: string;
  /** Called once, when the platform opens: sees every request before the application does, and every response after it. */
  wrap(next: RequestHandler): RequestHandler;
}

/** What a platform gets when it opens. */
export interface PlatformParts {
  readonly kernel: RequestHandler;
  /** The name of the module that the application starts with. */
  readonly module: string;
  readonly routes: RouteTable;
  readonly router: Pick<Router<RunnableRoute>, "resolve">;
  readonly log: Log;
  /** Writes text before the log lines of the start, once. Undefined where no banner is shown. */
  readonly announce: ((text: string) => void) | undefined;
  /** Where data is kept, without passwords: `{ database: "sqlite ./data/app.db" }`. */
  readonly stores: () => Readonly<Record<string, string>>;
  /** Milliseconds that a stop waits for one hook or command. */
  readonly stopTimeout: number;
  /** Runs the `onPrimary()` hooks, in the process that starts workers. */
  readonly startPrimary: (workers: WorkerPort) => void;
  /** Runs the `onStart()` hooks, once. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Ends a failed start as `onStartError` says: one line and exit code 1, or the error. */
  readonly failStart: (error: unknown) => never;
  /** What was added to `Background`. */
  readonly background: readonly BackgroundWork[];
  /** What an HTTP platform serves beside the application. Undefined in production, and without developer tools. */
  readonly devtools: Devtools | undefined;
}

/** An open platform: its methods become methods of the application. */
export interface OpenPlatform<Methods> {
  readonly methods: Methods;
  /** Accepts nothing new and waits for what is running. */
  close(): Promise<void>;
}

/** How an application receives requests and how it sends values. */
export interface Platform<Methods = unknown> {
  readonly name: string;
  /** The application's middlewares. They run before those of groups and routes, on misses too. */
  readonly middlewares: readonly MiddlewareLike[];
  /** Routes of the platform itself, in addition to those of the controllers. */
  readonly routes?: Routes;
  readonly limits: RequestLimits;
  /** Defaults for the log; the environment and the application come first. */
  readonly log?: LogOptions;
  serves(route: FlatRoute): boolean;
  serialize(reply: Reply, ctx: Context): Outgoing | Promise<Outgoing>;
  /** Logs an error and turns it into a response. Defaults to `{ error }` with its status; unknown errors are hidden. */
  fail?(error: unknown, ctx: Context): Outgoing | Promise<Outgoing>;
  /** What a request gets that matches no route, not as a promise. Undefined, as by default, is a 404. */
  miss?(ctx: Context): unknown;
  /** How errors are written. Defaults to `{ error }`. */
  readonly errors?: ErrorFormat;
  /** What `ctx.bind()` validates. Defaults to the body as JSON. */
  readonly readInput?: ContextTools["readInput"];
  /** What the `query` of a contract validates. Defaults to the query of the URL. */
  readonly readQuery?: ContextTools["readQuery"];
  /** What a body of `form()` validates. Defaults to the body as a form. */
  readonly readForm?: ContextTools["readForm"];
  readonly showProgress?: ContextTools["showProgress"];
  /** Whether background work starts with the application. Defaults to true; a command ends too soon for it. */
  readonly background?: boolean;
  open(parts: PlatformParts): Promise<OpenPlatform<Methods>>;
}

/** An injectable object with a method of this name tells the tool where it keeps data. Its texts contain no secret. */
export const describeStores: unique symbol = Symbol.for("tenon.stores");

/** What the instances of an application tell about their stores. */
export function collectStores(instances: Iterable<unknown>): Readonly<Record<string, string>> {
  const stores = [...instances].map((instance) => {
    const { [describeStores]: describe } = Object(instance) as { [describeStores]?: () => Record<string, string> }; // only stores have it
    return describe?.call(instance) ?? {};
  });
  return Object.assign({}, ...stores);
}

/** Work beside the requests of the platform, such as jobs. */
export interface BackgroundWork {
  /** Called after the `onStart()` hooks of all modules, unless background work is off. */
  start(): unknown;
  /** Called before the first `onStop()` hook, while the platform closes: what is running may use every service. */
  stop(): Promise<void>;
}

/** How background work runs routes that the platform of the application does not serve. */
export interface BackgroundPlatform
  extends Pick<
    Platform,
    "name" | "middlewares" | "limits" | "serves" | "serialize" | "fail" | "readInput" | "readQuery" | "showProgress"
  > {}

export interface BackgroundRoutes {
  readonly kernel: RequestHandler;
  readonly routes: RouteTable;
}

/** For packages that run routes in the background: `inject(Background)`. */
export interface Background {
  /** Milliseconds that `stop()` of the work may take: it must end itself in time. */
  readonly stopTimeout: number;
  /** Call it in a constructor or a factory. */
  add(work: BackgroundWork): void;
  /** A second kernel over the routes of all modules. Call it when the application has started, or later. */
  open(platform: BackgroundPlatform): BackgroundRoutes;
}

export const Background = token<Background>("Background");

/** An application has its background work under this name, for test helpers. */
export const backgroundWork: unique symbol = Symbol.for("tenon.background");
