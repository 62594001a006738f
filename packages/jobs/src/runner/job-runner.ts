import { Clock, inject, Log } from "@tenon/core";
import { refuseOption } from "@tenon/core/internal";
import { Background, type BackgroundWork } from "@tenon/core/platform";
import { JobLinks } from "../job-links.ts";
import type { JobRecord } from "../job-record.ts";
import { JobHealth } from "../operations/job-health.ts";
import { Schedules } from "../schedules.ts";
import { JobSettings } from "../settings.ts";
import { JobStore, type Outcome } from "../store/job-store.ts";
import { JobExecutor } from "./job-executor.ts";
import { JobRun } from "./job-incoming.ts";
import { WorkLoop } from "./work-loop.ts";

export interface RunnerOptions {
  /** Jobs that this process runs at the same time. Defaults to that of the module. */
  readonly concurrency?: number;
  /** The queues that this process works on. Defaults to those of all jobs with a handler. */
  readonly queues?: readonly string[];
}

/** The outcome of a job that a test has run. */
export interface Ran {
  readonly job: JobRecord;
  readonly outcome: Outcome;
}

const testWorker = "test";

/** Runs the jobs of one application: in a loop, or one by one in a test. */
export class JobRunner implements BackgroundWork {
  readonly store = inject(JobStore);
  readonly #settings = inject(JobSettings);
  readonly links = inject(JobLinks);
  readonly #schedules = inject(Schedules);
  readonly #executor = inject(JobExecutor);
  readonly #clock = inject(Clock);
  readonly #health = inject(JobHealth);
  readonly #log = inject(Log);
  readonly #background = inject(Background);
  #loop: WorkLoop | undefined;

  constructor() {
    this.#background.add(this);
  }

  /** Whether it looks for jobs. */
  get isOpen(): boolean {
    return this.#loop !== undefined;
  }

  /** Runs jobs beside the requests of the application. */
  async start(): Promise<void> {
    if (this.#settings.inProcess) await this.open();
  }

  async open({ concurrency = this.#settings.concurrency, queues = this.#executor.queues }: RunnerOptions = {}) {
    if (this.#loop !== undefined) return;
    const unknown = queues.filter((queue) => !this.#executor.queues.includes(queue));
    if (unknown.length > 0) {
      const known = this.#executor.queues.join(", ") || "none";
      refuseOption(`queues of worker(): no job is in ${unknown.join(", ")}. The queues of this application: ${known}.`);
    }
    if (queues.length === 0) {
      this.#log.debug("no controller has a job(): no jobs are run");
      return;
    }
    const { poolSize = Number.POSITIVE_INFINITY } = this.store.database;
    if (concurrency >= poolSize) {
      const cure = "Set a lower concurrency, or a larger postgres.poolSize of dataModule()";
      this.#log.warn(`${concurrency} jobs at a time may use all ${poolSize} connections of the pool. ${cure}.`);
    }
    await this.#schedules.register();
    this.store.reserve();
    const loop = new WorkLoop({
      store: this.store,
      executor: this.#executor,
      schedules: this.#schedules,
      settings: this.#settings,
      log: this.#log,
      concurrency,
      queues,
      now: () => this.#clock.now(),
    });
    this.links.onCancel = (id) => loop.cancel(id);
    this.#loop = loop;
    loop.start();
    this.#health.watch(queues, () => loop.freeFor);
    this.#log.info(`running jobs of ${queues.join(", ")}, ${concurrency} at a time`);
  }

  async stop(): Promise<void> {
    await this.#loop?.stop(this.#background.stopTimeout);
    await this.store.release();
  }

  /** Runs the jobs that are due now, one after another, until none is. Also enqueues the ticks that are due. */
  async drain(onRun: (ran: Ran) => void): Promise<void> {
    for (;;) {
      await this.#schedules.tick();
      await this.store.promote();
      const { ready } = await this.store.peek(await this.#allQueues());
      if (ready === null) return;
      for (const queue of ready.split(",")) {
        const rows = await this.store.claim(queue, 1, testWorker, this.#settings.lease);
        for (const row of rows) onRun(await this.#run(new JobRun(row)));
      }
    }
  }

  /** Runs one job, if it is due. */
  async runOne(id: number): Promise<Ran | undefined> {
    const row = await this.store.claimOne(id, testWorker, this.#settings.lease);
    return row === undefined ? undefined : this.#run(new JobRun(row));
  }

  async #run(run: JobRun): Promise<Ran> {
    const outcome = await this.#executor.execute(run);
    await this.store.finish([outcome]);
    const job = await this.store.find(run.id);
    if (job === undefined) throw new Error(`job ${run.id} was deleted while it ran`);
    return { job, outcome };
  }

  async #allQueues(): Promise<readonly string[]> {
    const stored = (await this.store.counts()).map(({ queue }) => queue);
    return [...new Set([...this.#executor.queues, ...stored])];
  }
}
