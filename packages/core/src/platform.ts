import type { RequestLimits } from "./body/body-reader.ts";
import type { FlatRoute } from "./boot/flatten.ts";
import type { Context, ContextTools } from "./context.ts";
import type { ErrorFormat } from "./error-format.ts";
import type { Log, LogOptions } from "./log/log.ts";
import type { MiddlewareLike, Routes } from "./record.ts";
import type { Outgoing, Reply } from "./reply.ts";
import type { Incoming } from "./request.ts";
import type { Router } from "./router.ts";
import type { RouteTable, RunnableRoute } from "./table.ts";

/** Handles a request. Neither throws nor rejects. */
export interface RequestHandler {
  handle(incoming: Incoming): Outgoing | Promise<Outgoing>;
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
  /** Milliseconds that a stop waits for one hook or command. */
  readonly stopTimeout: number;
  /** Runs the `onStart()` hooks, once. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Ends a failed start as `onStartError` says: one line and exit code 1, or the error. */
  readonly failStart: (error: unknown) => never;
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
  open(parts: PlatformParts): Promise<OpenPlatform<Methods>>;
}

/** An injectable object with a method of this name tells the tool where it keeps data. Its texts contain no secret. */
export const describeStores: unique symbol = Symbol.for("tenon.stores");
