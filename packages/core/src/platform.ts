import type { RequestLimits } from "./body/body-reader.ts";
import type { DeveloperAccess } from "./boot/developer-access.ts";
import type { FlatRoute } from "./boot/flatten.ts";
import type { WorkerPort } from "./boot/primary.ts";
import type { Context, ContextTools } from "./context.ts";
import type { ErrorFormat } from "./error-format.ts";
import { token } from "./inject/token.ts";
import type { Log, LogOptions } from "./log/log.ts";
import type { Outgoing, Reply } from "./reply.ts";
import type { Incoming } from "./request.ts";
import type { MiddlewareLike, Routes } from "./route.ts";
import type { Router } from "./router.ts";
import type { RouteTable, RunnableRoute } from "./table.ts";

/** Handles a request. Neither throws nor rejects. */
export interface RequestHandler {
  handle(incoming: Incoming): Outgoing | Promise<Outgoing>;
}

/** Developer tools that an HTTP platform serves beside the application. */
export interface Devtools {
  /** Where they are: `/_dev`. The banner shows it. */
  readonly path: string;
  /** Called once, when an HTTP platform opens: sees every request before the application, and every response after it. */
  wrap(next: RequestHandler): RequestHandler;
  /** The page of the current request: `/_dev/requests/1f0c93a2be`. Undefined outside of one that is recorded. */
  requestPage(): string | undefined;
  /** Why a request failed, for the developer: the error page for browsers, JSON in this format for other clients. */
  respondToError(error: unknown, ctx: Context, format: ErrorFormat): Promise<Outgoing>;
  /** Called before the `onStart()` of the application. */
  onStart(): Promise<void>;
  /** Called after the `onStop()` of the application. */
  onStop(): void;
}

/** Options of `@tenon/devtools`. */
export interface DevtoolsOptions {
  /** How many requests and jobs are kept. Defaults to 300. */
  readonly keep?: number;
  /** Milliseconds from which on a statement is marked as slow. Defaults to 50. */
  readonly slowQuery?: number;
  /**
   * The file that keeps the records across restarts; false keeps them in memory only. Defaults to
   * `node_modules/.cache/tenon/requests.jsonl`, which `tenon requests` reads, and to false in tests.
   */
  readonly file?: string | false;
}

/** What a platform gets when it opens. */
export interface PlatformParts {
  readonly kernel: RequestHandler;
  /** The name of the module that the application starts with. */
  readonly module: string;
  readonly routes: RouteTable;
  readonly router: Pick<Router<RunnableRoute>, "resolve">;
  readonly log: Log;
  /** Prints the banner, when the server listens. Undefined where there is none. */
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
  /** What an HTTP platform serves beside the application. Undefined without `developer`, and without developer tools. */
  readonly devtools: Devtools | undefined;
  /** Decides who sees developer pages. Undefined in a process that was not started for development: there are none. */
  readonly developer: DeveloperAccess | undefined;
}

/** An open platform: its methods become methods of the application. */
export interface OpenPlatform<Methods> {
  readonly methods: Methods;
  /** Accepts nothing new and waits for what is running. */
  close(): Promise<void>;
}

/** How an application receives requests and how it sends values: what `createApp()` takes. */
export interface Platform<Methods = unknown> {
  readonly name: string;
  /** Defaults for the log; the environment and the application come first. */
  readonly log?: LogOptions;
  /** Whether background work starts with the application. Defaults to true; a command ends too soon for it. */
  readonly background?: boolean;
  /**
   * Checks the options. Called once for each application, after its modules are constructed: the options may `inject()`
   * what the root module sees.
   */
  resolve(): ResolvedPlatform<Methods>;
}

/** A platform whose options are known. */
export interface ResolvedPlatform<Methods = unknown> {
  /** The application's middlewares. They run before those of groups and routes, on misses too. */
  readonly middlewares: readonly MiddlewareLike[];
  /** Routes of the platform itself, in addition to those of the controllers. */
  readonly routes?: Routes;
  readonly limits: RequestLimits;
  serves(route: FlatRoute): boolean;
  serialize(reply: Reply, ctx: Context): Outgoing | Promise<Outgoing>;
  /**
   * Logs an error and turns it into a response. Undefined, as by default, is `{ error }` with its status; unknown errors are
   * hidden.
   */
  fail?(error: unknown, ctx: Context): Outgoing | Promise<Outgoing> | undefined;
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
  open(parts: PlatformParts): Promise<OpenPlatform<Methods>>;
}

export interface NamedPlatform<Methods = unknown> extends ResolvedPlatform<Methods>, Pick<Platform, "name"> {}

/** An injectable object with a method of this name tells the tool where it keeps data. Its texts contain no secret. */
export const describeStores: unique symbol = Symbol.for("tenon.stores");

/** Likewise what survives a crash there, and who else sees it. */
export const describeGuarantees: unique symbol = Symbol.for("tenon.guarantees");

/** What the instances of an application tell about their stores. */
export function collectStores(
  instances: Iterable<unknown>,
  key: typeof describeStores | typeof describeGuarantees = describeStores,
): Readonly<Record<string, string>> {
  const stores = [...instances].map((instance) => {
    const { [key]: describe } = Object(instance) as { [key]?: () => Record<string, string> }; // only stores have it
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
    NamedPlatform,
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

/** The background work of one application: started after its modules, stopped before them. */
export class ApplicationBackground implements Background {
  readonly stopTimeout: number;
  readonly work: BackgroundWork[] = [];
  /** Set when the routes are known. */
  onOpen: ((platform: BackgroundPlatform) => BackgroundRoutes) | undefined;
  /** Whether a `start()` has thrown. */
  failed = false;
  #starting: Promise<void> | undefined;

  constructor(stopTimeout: number) {
    this.stopTimeout = stopTimeout;
  }

  add(work: BackgroundWork): void {
    this.work.push(work);
  }

  open(platform: BackgroundPlatform): BackgroundRoutes {
    if (this.onOpen === undefined) {
      throw new Error("Background.open() was called before the routes were known. Call it in start() or later.");
    }
    return this.onOpen(platform);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    await Promise.all(this.work.map((work) => work.stop()));
  }

  async #start(): Promise<void> {
    try {
      for (const work of this.work) await work.start();
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}
