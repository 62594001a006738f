import { type Platform, StartError } from "@tenon/core";
import { checkOptions, type Injectable, resolveOptions, stopOnSignals } from "@tenon/core/internal";
import type { PlatformParts } from "@tenon/core/platform";
import { createJobPlatform } from "./runner/job-platform.ts";
import { JobRunner, type RunnerOptions } from "./runner/job-runner.ts";
import { count } from "./settings.ts";

/** Each option is a value, or a function that returns it and may `inject()` what the root module sees. */
export interface WorkerOptions extends Injectable<RunnerOptions> {}

/** The methods of an application that is a worker. */
export interface WorkerApp {
  /** Starts the application and runs jobs until SIGTERM, SIGINT or `stop()`. Resolves when the worker has started. */
  run(): Promise<void>;
}

/** A platform that runs jobs and nothing else: `main.worker.ts`. */
export function worker(options: WorkerOptions = {}): Platform<WorkerApp> {
  return {
    name: "worker",
    background: false, // it is started here, with other options
    resolve() {
      const given = resolveOptions<RunnerOptions>(options);
      checkOptions("worker()", given, { concurrency: count, queues: true });
      const open = async (parts: PlatformParts) => ({
        methods: { run: () => run(parts, given) },
        close: async () => {},
      });
      return { ...createJobPlatform([]), open };
    },
  };
}

async function run(parts: PlatformParts, options: RunnerOptions): Promise<void> {
  try {
    await parts.start();
    const runners = parts.background.filter((work) => work instanceof JobRunner);
    const cure = runners.length === 0 ? "import jobsModule()" : "list job(…) in routes() of a controller";
    for (const work of parts.background) await (work instanceof JobRunner ? work.open(options) : work.start());
    if (!runners.some((runner) => runner.isOpen)) {
      const message = `worker() has no jobs to run: ${cure} in a module of the application.`;
      throw new StartError([{ code: "BAD_OPTION", message }]);
    }
  } catch (error) {
    await parts.stop();
    parts.failStart(error);
  }
  stopOnSignals(parts.stop, parts.log);
}
