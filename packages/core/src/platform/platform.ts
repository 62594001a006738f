import type { Context } from "../context/context.ts";
import type { RequestLimits } from "../context/limits.ts";
import type { Kernel } from "../kernel.ts";
import type { Log, LogOptions } from "../log.ts";
import type { MiddlewareLike } from "../pipeline/middleware.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import type { Reply } from "../pipeline/reply.ts";
import type { FlatRoute } from "../route/flatten.ts";
import type { Routes } from "../route/record.ts";
import type { RouteTable } from "../route/table.ts";

/** What a platform gets to build its door with. */
export interface DoorParts {
  readonly kernel: Pick<Kernel, "handle">;
  readonly routes: RouteTable;
  readonly log: Log;
  /** How many milliseconds a stop may wait for one thing. */
  readonly stopTimeout: number;
  /** Runs the `onStart()` hooks, once. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Turns a failed start into what the application asked for: a line and exit code 1, or the error. */
  readonly failStart: (error: unknown) => never;
}

/** A way in: its methods become methods of the application. */
export interface Door<Methods> {
  readonly methods: Methods;
  /** Takes nothing new and lets what runs finish. */
  close(): Promise<void>;
}

/** How an application is reached and how its values go out. */
export interface Platform<Methods = unknown> {
  readonly name: string;
  /** Of the application: they run before those of groups and routes, on misses too. */
  readonly middlewares: readonly MiddlewareLike[];
  /** Its own, beside those of the controllers. */
  readonly routes?: Routes;
  readonly limits: RequestLimits;
  /** How it logs where neither the environment nor the application says otherwise. */
  readonly log?: LogOptions;
  serves(route: FlatRoute): boolean;
  serialize(reply: Reply, ctx: Context): Outgoing | Promise<Outgoing>;
  /** What becomes of anything thrown, in the log too. Left out: `{ error }` with its status, and what is not ours hidden. */
  fail?(error: unknown, ctx: Context): Outgoing | Promise<Outgoing>;
  open(parts: DoorParts): Promise<Door<Methods>>;
}
