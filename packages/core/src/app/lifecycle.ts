import { endsWithin } from "@tenon/server/internal";
import type { WorkerPort } from "@tenon/server/workers";
import type { Constructed } from "../inject/container.ts";
import { labelOf } from "../inject/module-graph.ts";
import type { Log } from "../log/log.ts";
import { quoteError, StartError } from "../support/errors.ts";
import { hasMethod } from "../support/has-method.ts";

export interface OnStart {
  onStart(): unknown;
}
export interface OnStop {
  onStop(): unknown;
}

/** Called in the process that starts the workers and serves no requests itself, before the first worker starts. */
interface OnPrimary {
  onPrimary(workers: WorkerPort): unknown;
}

export function isOnPrimary(instance: unknown): instance is OnPrimary {
  return hasMethod(instance, "onPrimary");
}

/** Runs `onStart()` in dependency order and `onStop()` in reverse, only for what had started. Each happens once. */
export class Lifecycle {
  readonly #parts: Iterable<Constructed>;
  readonly #log: Log;
  readonly #stopTimeout: number;
  readonly #started: Constructed[] = [];
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  /** `stopTimeout`: how many milliseconds a stop waits for all hooks together. */
  constructor(parts: Iterable<Constructed>, log: Log, stopTimeout: number) {
    this.#parts = parts;
    this.#log = log;
    this.#stopTimeout = stopTimeout;
  }

  /** A start that failed stays failed: every later call rejects with the same error. */
  start(): Promise<void> {
    if (this.#stopping !== undefined) return Promise.reject(stopped());
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Runs `close`, then the hooks. A failing or hanging `onStop()` is logged and does not keep the others from stopping. */
  stop(close: () => Promise<void>): Promise<void> {
    this.#stopping ??= this.#stop(close);
    return this.#stopping;
  }

  async #start(): Promise<void> {
    for (const part of this.#parts) {
      if (this.#stopping !== undefined) throw stopped();
      try {
        if (hasMethod(part.instance, "onStart")) await part.instance.onStart();
        this.#started.push(part);
      } catch (error) {
        await this.#stopStarted(performance.now() + this.#stopTimeout);
        const message = `onStart() of ${labelOf(part.name, part.node)} failed: ${quoteError(error)}`;
        throw new StartError([{ code: "START_HOOK_FAILED", message, cause: error }]);
      }
    }
    if (this.#stopping !== undefined) throw stopped(); // the platform must not open a port after a stop
  }

  async #stop(close: () => Promise<void>): Promise<void> {
    try {
      await close();
    } finally {
      // an onStart() that runs must end before its onStop() can be called
      const deadline = performance.now() + this.#stopTimeout;
      const inTime = await endsWithin(
        this.#starting?.catch(() => {}),
        this.#stopTimeout,
      );
      if (!inTime) this.#log.error("an onStart() did not end in time: the stop goes on without it");
      await this.#stopStarted(deadline);
    }
  }

  async #stopStarted(deadline: number): Promise<void> {
    for (let part = this.#started.pop(); part !== undefined; part = this.#started.pop()) {
      const hook = `onStop() of ${labelOf(part.name, part.node)}`;
      try {
        if (!hasMethod(part.instance, "onStop")) continue;
        const inTime = await endsWithin(part.instance.onStop(), Math.max(1, deadline - performance.now()));
        if (!inTime) this.#log.error(`${hook} did not end in time: the stop goes on without it`);
      } catch (error) {
        this.#log.error({ err: error }, `${hook} failed`);
      }
    }
  }
}

function stopped(): StartError {
  const message = "The application has been stopped and does not start again. Call createApp() for a new one.";
  return new StartError([{ code: "APP_STOPPED", message }]);
}

export function isStopped(error: unknown): boolean {
  return error instanceof StartError && error.problems.some((problem) => problem.code === "APP_STOPPED");
}
