import { type Platform, StartError } from "@tenon/core";
import { type BackgroundWork, checkNames, namesOf, type PlatformParts, stopOnSignals } from "@tenon/core/platform";
import { createJobPlatform } from "./runner/job-platform.ts";
import { JobRunner, type RunnerOptions } from "./runner/job-runner.ts";
import { checkCount } from "./settings.ts";

export type WorkerOptions = RunnerOptions;

/** The methods of an application that is a worker. */
export interface WorkerMethods {
  /** Starts the application and runs jobs until SIGTERM, SIGINT or `stop()`. Resolves when the worker has started. */
  run(): Promise<void>;
}

const optionNames = namesOf<WorkerOptions>({ concurrency: true, queues: true });

/** A platform that runs jobs and nothing else: `main.worker.ts`. */
export function worker(options: WorkerOptions = {}): Platform<WorkerMethods> {
  checkNames("worker()", options, optionNames);
  if (options.concurrency !== undefined) checkCount(options.concurrency, "concurrency of worker()");
  return {
    ...createJobPlatform([]),
    name: "worker",
    background: false, // it is started here, with other options
    open: async (parts) => ({ methods: { run: () => run(parts, options) }, close: async () => {} }),
  };
}

async function run(parts: PlatformParts, options: WorkerOptions): Promise<void> {
  try {
    await parts.start();
    const runners = parts.background.filter(isRunner);
    const cure = runners.length === 0 ? "import jobsModule()" : "list job(…) in routes() of a controller";
    for (const runner of runners) await runner.open(options);
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

function isRunner(work: BackgroundWork): work is JobRunner {
  return work instanceof JobRunner;
}
