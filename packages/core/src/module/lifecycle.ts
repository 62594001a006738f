import type { Constructed } from "../di/container.ts";
import { StartError } from "../errors.ts";
import type { Log } from "../log.ts";

export interface OnStart {
  onStart(): unknown;
}
export interface OnStop {
  onStop(): unknown;
}

/** Runs `onStart()` in dependency order and `onStop()` in reverse, only for what had started. */
export class Lifecycle {
  readonly #parts: readonly Constructed[];
  readonly #log: Log;
  readonly #started: Constructed[] = [];

  constructor(parts: readonly Constructed[], log: Log) {
    this.#parts = parts;
    this.#log = log;
  }

  async start(): Promise<void> {
    for (const part of this.#parts) {
      try {
        if (hasHook(part.instance, "onStart")) await part.instance.onStart();
        this.#started.push(part);
      } catch (error) {
        await this.stop();
        throw new StartError([
          {
            code: "START_HOOK_FAILED",
            message: `${part.name}.onStart() failed (module "${part.node.name}"): ${error instanceof Error ? error.message : String(error)}`,
            cause: error,
          },
        ]);
      }
    }
  }

  /** A failing `onStop()` is logged and does not keep the others from stopping. */
  async stop(): Promise<void> {
    for (let part = this.#started.pop(); part !== undefined; part = this.#started.pop()) {
      try {
        if (hasHook(part.instance, "onStop")) await part.instance.onStop();
      } catch (error) {
        this.#log.error({ err: error }, `${part.name}.onStop() failed`);
      }
    }
  }
}

function hasHook<K extends "onStart" | "onStop">(instance: unknown, hook: K): instance is Record<K, () => unknown> {
  return (
    typeof instance === "object" &&
    instance !== null &&
    hook in instance &&
    typeof (instance as Record<K, unknown>)[hook] === "function"
  );
}
