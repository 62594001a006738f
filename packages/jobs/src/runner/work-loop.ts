import { randomInt, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Log } from "@tenon/core";
import { endsWithin } from "@tenon/core/internal";
import { describeDuration } from "../describe-duration.ts";
import type { JobRow } from "../job-record.ts";
import type { Schedules } from "../schedules.ts";
import type { JobSettings } from "../settings.ts";
import type { JobStore } from "../store/job-store.ts";
import { LookBounds } from "../store/look-bounds.ts";
import { Alarm } from "./alarm.ts";
import { type JobExecutor, noHandlerFor, unknownPauses } from "./job-executor.ts";
import { JobRun } from "./job-incoming.ts";
import { Leases } from "./leases.ts";
import { Outbox } from "./outbox.ts";
import { watchChanges } from "./watch-changes.ts";

export interface WorkLoopParts {
  readonly store: JobStore;
  readonly executor: JobExecutor;
  readonly schedules: Schedules;
  readonly settings: JobSettings;
  readonly log: Log;
  readonly concurrency: number;
  readonly queues: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Milliseconds: defaults of `pollInterval`. */
const pollIntervals = { sqlite: 30_000, postgres: 2000 } as const;
/** Milliseconds between attempts when the store is not available: the first, and the longest. */
const pauses = { first: 50, longest: 1000 } as const;
/** Milliseconds for which a busy process claims without a look at what else is due. */
const peekInterval = 100;
/** Milliseconds between two prunings, and between two looks for jobs in queues that no definition names any more. */
const pruneInterval = 60_000;
/** Milliseconds between two log lines about jobs without a handler. */
const reportInterval = 60_000;
/** Milliseconds for the last write of a stop. */
const lastWrite = 1000;
const lostWorker =
  "the process that ran the job has disappeared: it crashed, or was suspended for longer than the lease";

/** Claims jobs and runs them, until it is stopped. Sleeps while nothing is due. */
export class WorkLoop {
  readonly #parts: WorkLoopParts;
  readonly #worker = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  readonly #alarm = new Alarm();
  readonly #bounds: LookBounds;
  readonly #outbox: Outbox;
  readonly #leases: Leases;
  /** How long dead jobs are kept, by name, where their definitions say so. */
  readonly #keeps: Readonly<Record<string, number>>;
  readonly #active = new Set<Promise<void>>();
  /** By queue: running jobs, and the time at which a rate allows the next one. */
  readonly #running = new Map<string, number>();
  readonly #blockedUntil = new Map<string, number>();
  /** Queues whose last claim took as many jobs as it could. */
  readonly #plenty = new Set<string>();
  /** When this process last ran as many jobs as it may. */
  #fullAt: number;
  #nextPeek = 0;
  #nextPrune = performance.now() + randomInt(pruneInterval / 2, pruneInterval); // not all processes at once
  #nextMove = 0;
  #nextReport = 0;
  #mayHaveOrphans = false;
  #turns = 0;
  #stopping = false;
  #stopWatching: (() => void) | undefined;
  #loop: Promise<void> | undefined;

  constructor(parts: WorkLoopParts) {
    this.#parts = parts;
    this.#fullAt = parts.now();
    this.#bounds = new LookBounds(parts.settings.lease);
    const { store, log, settings, executor } = parts;
    this.#keeps = Object.fromEntries(
      executor.handlers
        .values()
        .flatMap(({ definition: { name, keep } }) => (keep.dead === undefined ? [] : [[name, keep.dead]])),
    );
    this.#outbox = new Outbox(store, log);
    this.#leases = new Leases(store, log, settings.lease);
  }

  start(): void {
    this.#stopWatching = watchChanges(this.#parts.store, () => this.#alarm.wake());
    this.#loop ??= this.#run();
  }

  cancel(id: number): void {
    this.#leases.cancel(id);
  }

  /** Milliseconds for which another job could have started. */
  get freeFor(): number {
    const { concurrency, now } = this.#parts;
    return this.#active.size < concurrency ? now() - this.#fullAt : 0;
  }

  /** Starts nothing more and waits for what runs. What does not end in time is released, for another process to run. */
  async stop(timeout: number): Promise<void> {
    this.#stopping = true;
    this.#alarm.wake();
    this.#stopWatching?.();
    const ended = this.#waitForAll();
    if (!(await endsWithin(ended, timeout))) {
      const released = this.#leases.runs.filter((run) => !run.ended).map((run) => this.#release(run));
      this.#parts.log.warn(`${released.length} jobs did not end in time: they are started again by another process`);
      await endsWithin(Promise.all(released), lastWrite);
    }
    if (this.#mayHaveOrphans) await endsWithin(this.#reclaim(), lastWrite).catch(() => {});
    this.#outbox.close();
    this.#leases.close();
  }

  async #waitForAll(): Promise<void> {
    await this.#loop; // may still be starting jobs
    await Promise.all(this.#active);
  }

  async #run(): Promise<void> {
    let pause: number = pauses.first;
    while (!this.#stopping) {
      let sleep: number;
      try {
        sleep = await this.#turn();
        if (pause !== pauses.first) this.#parts.log.info("jobs: the store is available again");
        pause = pauses.first;
      } catch (error) {
        if (pause === pauses.first)
          this.#parts.log.warn({ err: error }, "jobs: the store is not available: trying again");
        sleep = pause;
        pause = Math.min(2 * pause, pauses.longest);
      }
      await this.#alarm.sleep(sleep);
    }
  }

  /** Does what is due. Returns the milliseconds until something else is, as far as is known. */
  async #turn(): Promise<number> {
    const { store, schedules, settings, queues, log } = this.#parts;
    if (performance.now() >= this.#nextReport) this.#reportUnknown();
    await schedules.tick();
    if (this.#mayHaveOrphans) await this.#reclaim();
    if (performance.now() >= this.#nextMove) await this.#moveStrays();
    const untilPeek = this.#nextPeek - performance.now();
    if (untilPeek > 0 && (await this.#claimMore())) return untilPeek;
    this.#nextPeek = performance.now() + peekInterval;
    const open = queues.filter((queue) => this.#roomOf(queue) > 0);
    const { now, next_due, next_expiry, ready } = await store.peek(open, this.#bounds);
    let again = false;
    if (next_due !== null && next_due <= now) again = (await store.promote(this.#bounds)) > 0;
    if (next_expiry !== null && next_expiry < now) {
      // those of this process have ended if its clock or its event loop has jumped: a rescue would start its own jobs again
      if (!(await this.#leases.renew())) return pauses.longest;
      for (const { id, name, state } of await store.rescue(settings.keep.dead, lostWorker, this.#keeps, this.#bounds)) {
        log.warn({ job: id }, `${name}: ${lostWorker}; it is ${state} now`);
        again = true;
      }
    }
    for (const queue of this.#rotate(ready === null ? [] : ready.split(","))) {
      const room = this.#roomOf(queue);
      if (room > 0 && !this.#stopping) await this.#claim(queue, room);
    }
    if (performance.now() >= this.#nextPrune) {
      // one batch in each turn: jobs start and the event loop turns between two
      if ((await store.pruneBatch()) > 0) again = true;
      else this.#nextPrune = performance.now() + pruneInterval;
    }
    if (again) return 0;
    return Math.min(
      settings.pollInterval ?? pollIntervals[store.database.kind],
      next_due === null ? Number.POSITIVE_INFINITY : next_due - now,
      next_expiry === null ? Number.POSITIVE_INFINITY : next_expiry - now + 1,
      (schedules.nextTick ?? Number.POSITIVE_INFINITY) - this.#parts.now(),
      this.#nextPrune - performance.now(),
      this.#nextMove - performance.now(),
      this.#bounds.nextFull - performance.now(),
      ...this.#blockedUntil.values().map((until) => until - performance.now()),
    );
  }

  /**
   * How many jobs of a queue may start now. Up to half of all places are kept for queues of which no job runs, one for
   * each: long jobs of one queue must not hold up the others.
   */
  #roomOf(queue: string): number {
    const until = this.#blockedUntil.get(queue);
    if (until !== undefined && until > performance.now()) return 0;
    this.#blockedUntil.delete(queue);
    const { concurrency, settings, queues } = this.#parts;
    const runningOf = (name: string) => this.#running.get(name) ?? 0;
    const own = (settings.queues.get(queue)?.concurrency ?? concurrency) - runningOf(queue);
    const free = concurrency - this.#active.size;
    const idle = queues.filter((name) => name !== queue && runningOf(name) === 0).length;
    const kept = Math.min(idle, Math.floor(concurrency / 2));
    return Math.min(own, Math.max(free - kept, runningOf(queue) === 0 ? Math.min(free, 1) : 0));
  }

  /** Claims from queues that had more jobs than room, without a look at the rest. Returns whether there are such queues. */
  async #claimMore(): Promise<boolean> {
    for (const queue of this.#rotate([...this.#plenty])) {
      const room = this.#roomOf(queue);
      if (room > 0 && !this.#stopping) await this.#claim(queue, room);
    }
    return this.#plenty.size > 0;
  }

  async #claim(queue: string, room: number): Promise<void> {
    const { store, settings, executor } = this.#parts;
    const rate = settings.queues.get(queue)?.rate;
    this.#mayHaveOrphans = true; // until the result is here
    const { rows, wait } =
      rate === undefined
        ? { rows: await store.claim(queue, room, this.#worker, settings.lease, this.#bounds), wait: 0 }
        : await store.claimWithin(rate, queue, room, this.#worker, settings.lease, this.#bounds);
    this.#mayHaveOrphans = false;
    if (rows.length === room) this.#plenty.add(queue);
    else this.#plenty.delete(queue);
    if (wait > 0) this.#blockedUntil.set(queue, performance.now() + wait);
    for (const row of rows) this.#start(row);
    const names = new Set(rows.map((row) => row.name));
    if (rows.length < room || !names.isDisjointFrom(executor.handlers)) return;
    for (const name of names) {
      executor.addUnknown(name, await store.postpone(queue, name, unknownPauses, noHandlerFor(name)));
    }
  }

  /** Gives back jobs that were claimed for this process, when the connection was lost before their rows arrived. */
  async #reclaim(): Promise<void> {
    const { store, log } = this.#parts;
    const count = await store.reclaim(
      this.#worker,
      this.#leases.runs.map(({ id }) => id),
    );
    this.#mayHaveOrphans = false;
    if (count > 0) log.warn(`${count} jobs were claimed by a statement whose result was lost: they are queued again`);
  }

  /** Jobs that were enqueued before their definition got another queue would wait without end: no process works on theirs. */
  async #moveStrays(): Promise<void> {
    const { store, executor, log } = this.#parts;
    this.#nextMove = performance.now() + pruneInterval;
    const targets = [...executor.handlers.values()].map(({ definition: { name, queue } }) => [name, queue] as const);
    for (const queue of (await store.queues()).filter((name) => !executor.queues.includes(name))) {
      for (const [name, jobs] of Map.groupBy(await store.move(queue, targets), (job) => job.name)) {
        log.info(`${jobs.length} jobs ${name} were moved from queue ${queue} to ${jobs[0]?.queue}`);
        this.#nextMove = 0; // there may be more
      }
    }
  }

  /** One line for all of them: there may be thousands. */
  #reportUnknown(): void {
    const counts = [...this.#parts.executor.takeUnknown()].map(([name, count]) => `${name} (${count})`);
    if (counts.length === 0) return;
    this.#nextReport = performance.now() + reportInterval;
    const { first, longest } = unknownPauses;
    const pauses = `${describeDuration(first)} to ${describeDuration(longest)}`;
    this.#parts.log.warn(`jobs without a handler in this application wait another ${pauses}: ${counts.join(", ")}`);
  }

  #start(row: JobRow): void {
    const run = new JobRun(row, (reporting) => this.#leases.report(reporting));
    this.#leases.add(run);
    this.#running.set(row.queue, (this.#running.get(row.queue) ?? 0) + 1);
    const work = this.#stopping ? this.#release(run) : this.#execute(run);
    const ended = work
      .catch((error: unknown) =>
        this.#parts.log.error({ err: error, job: row.id }, "the job is started again when its lease ends"),
      )
      .finally(() => {
        this.#leases.delete(run);
        if (this.#active.size >= this.#parts.concurrency) this.#fullAt = this.#parts.now();
        this.#running.set(row.queue, (this.#running.get(row.queue) ?? 1) - 1);
        this.#active.delete(ended);
        this.#alarm.wake();
      });
    this.#active.add(ended);
  }

  async #execute(run: JobRun): Promise<void> {
    const outcome = await this.#parts.executor.execute(run).finally(() => {
      run.ended = true;
    });
    if (run.released) return; // a second outcome in the same statement might replace the first
    const isHeld = await this.#outbox.add(outcome);
    if (isHeld || run.controller.signal.aborted) return;
    this.#parts.log.warn({ job: run.id }, `${run.row.name}: ended after its lease, so its result is not used`);
  }

  async #release(run: JobRun): Promise<void> {
    run.released = true;
    const written = this.#outbox.add(this.#parts.executor.release(run));
    run.controller.abort(new Error("the worker stops"));
    await written;
  }

  /** Begins with another queue each time, so that none always comes last. */
  #rotate(queues: readonly string[]): readonly string[] {
    const start = this.#turns++ % Math.max(queues.length, 1);
    return [...queues.slice(start), ...queues.slice(0, start)];
  }
}
