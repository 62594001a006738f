import { endsWithin } from "@tenon/server/internal";
import type { WorkerPort } from "@tenon/server/workers";
import type { RequestLimits } from "../body/limits.ts";
import { token } from "../inject/token.ts";
import type { Log, LogOptions } from "../log/log.ts";
import type { Context } from "../request/context.ts";
import type { ErrorFormat } from "../request/error-format.ts";
import type { MiddlewareLike } from "../request/handler.ts";
import type { KernelPlatform, RequestHandler } from "../request/kernel.ts";
import type { Outgoing } from "../request/reply.ts";
import type { Incoming } from "../request/request.ts";
import type { FlatRoute } from "../route/flatten.ts";
import type { Routes } from "../route/route.ts";
import type { Router } from "../route/router.ts";
import type { RouteTable, RunnableRoute } from "../route/table.ts";

/** What an HTTP platform offers only to the developer of an application. */
export interface Devtools {
  /**
   * Called once, when an HTTP platform opens: signs the developer in, sees every other request before the application, and
   * every response after it.
   */
  wrap(next: RequestHandler): RequestHandler;
  /** Whether a request carries the secret of the developer. */
  hasSecret(incoming: Incoming): boolean;
  /** Whether the request of a handler does. The response is marked then, so that no cache keeps it for others. */
  admit(ctx: Context): boolean;
  /** Printed when the application listens. */
  toBanner(facts: ListeningFacts): string;
  /** Why a request failed, for its developer; undefined for any other request. `limits` are shown where it was too large. */
  explain(error: RequestError, ctx: Context, limits: RequestLimits): Promise<Explanation> | undefined;
  /**
   * Logs an error and tells the developer why a request of an API failed: the error page for browsers, JSON in this format
   * for other clients. Undefined for any other request, which gets the response of production.
   */
  fail(error: unknown, ctx: Context, format: ErrorFormat): Promise<Outgoing> | undefined;
  /** What the developer gets for `GET /` of an API without such a route; undefined for any other request. */
  miss(ctx: Context, docs: string | undefined): unknown;
  /** Called before the `onStart()` of the application. */
  onStart(): Promise<void>;
  /** Called after the `onStop()` of the application. */
  onStop(): void;
}

interface RequestError {
  readonly status: number;
  /** What a client may read. */
  readonly message: string;
  /** What was thrown; absent where the handler returned `{ error }`. */
  readonly error?: unknown;
}

/** The cause of a failed request. */
interface Explanation {
  /** The error page, as HTML with its Content-Security-Policy. */
  toPage(): Promise<{ readonly html: string; readonly policy: string }>;
  /** The data of a view that replaces this page. */
  toData(): Promise<object>;
  /** The body of the error as JSON, and the cause. */
  addTo(body: unknown): Promise<unknown>;
  /** HTML for the end of the application's own page. */
  toRouteList(): string;
}

interface ListeningFacts {
  readonly url: string;
  /** An address that a browser can open, unlike 0.0.0.0. */
  readonly browserUrl: string;
  /** The path of the docs page; undefined where it is not served. */
  readonly docs: string | undefined;
}

/** Options of `@tenon/devtools`. */
export interface DevtoolsOptions {
  /** How many requests and jobs are kept. Defaults to 300. */
  readonly keep?: number;
  /** Milliseconds from which on a statement is marked as slow. Defaults to 50. */
  readonly slowQuery?: number;
  /**
   * The file that keeps the records across restarts; false keeps them in memory only. Defaults to one for each process
   * in `node_modules/.cache/tenon`, which `tenon requests` reads, and to false in tests.
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
  /** Prints the banner when the server listens. Undefined where none is printed. */
  readonly announce: ((text: string) => void) | undefined;
  /** Milliseconds that a stop waits for all hooks together, or for a command. */
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
  /** Undefined in a process that was not started for development, and where `@tenon/devtools` is not installed. */
  readonly devtools: Devtools | undefined;
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
export interface ResolvedPlatform<Methods = unknown> extends Omit<KernelPlatform, "name"> {
  /** The application's middlewares. They run before those of groups and routes, on misses too. */
  readonly middlewares: readonly MiddlewareLike[];
  /** Routes of the platform itself, in addition to those of the controllers. */
  readonly routes?: Routes;
  serves(route: FlatRoute): boolean;
  /** Responds synchronously to a request that matches no route. Defaults to 404, also where it returns undefined. */
  miss?(ctx: Context): unknown;
  open(parts: PlatformParts): Promise<OpenPlatform<Methods>>;
}

export interface NamedPlatform<Methods = unknown> extends ResolvedPlatform<Methods>, Pick<Platform, "name"> {}

/**
 * An injectable object with a method of this name tells the tool by the name of each store its `place`, and its `guarantee`:
 * what survives a crash there, and who else sees it. The texts contain no secret.
 */
export const describeStores: unique symbol = Symbol.for("tenon.stores");

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
    "name" | "middlewares" | "serves" | "serialize" | "fail" | "readInput" | "readQuery" | "showProgress"
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
  readonly open: Background["open"];
  /** Whether a `start()` has thrown. */
  failed = false;
  #starting: Promise<void> | undefined;

  constructor(stopTimeout: number, open: Background["open"]) {
    this.stopTimeout = stopTimeout;
    this.open = open;
  }

  add(work: BackgroundWork): void {
    this.work.push(work);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async stop(): Promise<void> {
    await endsWithin(
      this.#starting?.catch(() => {}),
      this.stopTimeout,
    );
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
