import { HttpError, inject, type Schema } from "@tenon/core";
import { describeStores } from "@tenon/core/internal";
import { isUniqueViolation, runInBatches, StoreError, storeGuarantees } from "@tenon/data";
import type { JobDefinition, JobInput } from "./job-definition.ts";
import { JobLinks } from "./job-links.ts";
import { type JobRecord, type JobState, jobStates } from "./job-record.ts";
import { type EnqueueOptions, toKey, toNewJobs, toStoredInput } from "./new-jobs.ts";
import { JobSettings } from "./settings.ts";
import { JobStore, type ListOptions, type NewJobs } from "./store/job-store.ts";
import type { Executor } from "./store/statement.ts";
import { traceEnqueue } from "./tracing.ts";

export interface EnqueueManyOptions<Input> extends Omit<EnqueueOptions, "key"> {
  /** The key of each job. */
  readonly key?: (input: Input, index: number) => string | number;
}

export interface Enqueued {
  readonly id: number;
  /** False when a job with the same key was there already: `id` is that one's. */
  readonly created: boolean;
}

export interface JobCount {
  readonly queue: string;
  readonly state: JobState;
  readonly count: number;
  /** When the oldest of them was or is due, in ISO format. */
  readonly oldest: string;
}

/** How often a job is inserted whose key is held at that moment and free in the next. */
const mostInserts = 100;
/** How often many jobs are inserted when PostgreSQL ends the statement because of a deadlock. */
const mostDeadlocks = 5;

/** Adds and manages jobs: `inject(Jobs)`. */
export class Jobs {
  readonly #store = inject(JobStore);
  readonly #settings = inject(JobSettings);
  readonly #links = inject(JobLinks);

  [describeStores](): Readonly<Record<"jobs", { guarantee: string }>> {
    return { jobs: { guarantee: storeGuarantees.jobs[this.#store.database.kind] } };
  }

  /** Adds a job. Throws a BindError when the input does not match the job's schema. */
  async enqueue<Input extends Schema>(
    definition: JobDefinition<Input>,
    input: JobInput<Input>,
    options: EnqueueOptions = {},
  ): Promise<Enqueued> {
    const text = await toStoredInput(definition, input);
    const key = toKey(options.key);
    const jobs = toNewJobs(definition, options);
    const { transaction } = options;
    const { id, created } = await traceEnqueue(definition, 1, (carrier) =>
      this.#insert({ ...jobs, carrier }, text, key, transaction),
    );
    if (created && transaction === undefined) await this.#links.onInline?.(id);
    return { id, created };
  }

  /** Adds many jobs in one statement, in the order of the inputs. None is added when one of them is invalid. */
  async enqueueMany<Input extends Schema>(
    definition: JobDefinition<Input>,
    inputs: readonly JobInput<Input>[],
    options: EnqueueManyOptions<JobInput<Input>> = {},
  ): Promise<Enqueued[]> {
    const { key: keyOf, transaction, ...rest } = options;
    const rows: (readonly [string, string | null])[] = [];
    for (const [index, input] of inputs.entries()) {
      rows.push([await toStoredInput(definition, input), toKey(keyOf?.(input, index))]);
    }
    if (rows.length === 0) return [];
    const jobs = toNewJobs(definition, rest);
    const enqueued = await traceEnqueue(definition, rows.length, (carrier) =>
      retryDeadlock(transaction, () => this.#insertMany({ ...jobs, carrier }, rows, transaction)),
    );
    if (transaction === undefined)
      for (const { id, created } of enqueued) if (created) await this.#links.onInline?.(id);
    return enqueued;
  }

  /** Undefined when there is no such job, or it has been pruned. */
  find(id: number): Promise<JobRecord | undefined> {
    return this.#store.find(id);
  }

  /** The newest first. */
  list(options: ListOptions = {}): Promise<JobRecord[]> {
    const { state, limit = 50 } = options;
    if (state !== undefined && !jobStates.includes(state)) {
      throw new RangeError(`"${state}" is not a state of a job. Use one of ${jobStates.join(", ")}.`);
    }
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new RangeError(`limit is ${limit}. It takes a whole number from 1.`);
    return this.#store.list(options);
  }

  /** By queue and state. Reads the whole table. */
  async counts(): Promise<JobCount[]> {
    const rows = await this.#store.counts();
    return rows.map(({ queue, state, count, oldest }) => ({
      queue,
      state: state as JobState, // the column holds nothing else
      count,
      oldest: new Date(oldest).toISOString(),
    }));
  }

  /** Cancels a job that waits or runs; `ctx.signal` of a running one is aborted. False when it has ended or is unknown. */
  async cancel(id: number): Promise<boolean> {
    const cancelled = await this.#store.cancel(id, this.#settings.keep.done);
    if (cancelled) this.#links.onCancel?.(id);
    return cancelled;
  }

  /** Starts a dead or cancelled job again with all its attempts, or one that waits at once. False for any other. */
  async retry(id: number): Promise<boolean> {
    return this.#store.retry(id).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new HttpError(409, `job ${id} cannot be retried: another job with its key waits or runs`, { cause: error });
    });
  }

  /** No job of the queue starts in any process until `resume()`. Running jobs end. */
  pause(queue: string): Promise<void> {
    return this.#store.pause(queue);
  }

  resume(queue: string): Promise<void> {
    return this.#store.resume(queue);
  }

  pausedQueues(): Promise<string[]> {
    return this.#store.pausedQueues();
  }

  /** Deletes the finished jobs that are past their `keep` period, as workers do every minute. Returns how many. */
  prune(): Promise<number> {
    return runInBatches(() => this.#store.pruneBatch());
  }

  /** Gives the space of deleted jobs back to the file system. An SQLite file is locked and copied. */
  vacuum(): Promise<void> {
    return this.#store.vacuum();
  }

  async #insert(jobs: NewJobs, text: string, key: string | null, transaction: Executor | undefined): Promise<Enqueued> {
    for (let attempt = 0; attempt < mostInserts; attempt++) {
      const id = await this.#store.insert(jobs, text, key, transaction);
      if (id !== undefined) return { id, created: true };
      const holder = (await this.#store.findKeys(jobs.name, [key ?? ""], transaction)).get(key ?? "");
      if (holder !== undefined) return { id: holder, created: false };
      // the holder has ended in the meantime, or its period is over: the key is free
    }
    throw new HttpError(503, `job "${jobs.name}" was not enqueued: other jobs took its key during every attempt`);
  }

  async #insertMany(
    jobs: NewJobs,
    rows: readonly (readonly [string, string | null])[],
    transaction: Executor | undefined,
  ): Promise<Enqueued[]> {
    const keys = rows.flatMap(([, key]) => key ?? []);
    if (keys.length > 0) await this.#store.findKeys(jobs.name, keys, transaction); // frees those that are over
    const added = await this.#store.insertMany(jobs, rows, transaction);
    if (keys.length === 0) return added.map(({ id }) => ({ id, created: true }));
    return this.#pairByKey(jobs, rows, added, transaction);
  }

  /** Finds the ids of the jobs that were not added, because their key is held. */
  async #pairByKey(
    jobs: NewJobs,
    rows: readonly (readonly [string, string | null])[],
    added: readonly { readonly id: number; readonly key: string | null }[],
    transaction: Executor | undefined,
  ): Promise<Enqueued[]> {
    const own = new Map(added.map(({ id, key }) => [key, id]));
    const keyless = added.filter(({ key }) => key === null).map(({ id }) => id);
    const keys = rows.flatMap(([, key]) => (key === null || own.has(key) ? [] : key));
    const others = keys.length === 0 ? new Map() : await this.#store.findKeys(jobs.name, keys, transaction);
    const results: Enqueued[] = [];
    for (const [text, key] of rows) {
      const id: number | undefined = key === null ? keyless.shift() : (own.get(key) ?? others.get(key));
      // without an id the holder has ended between the two statements
      if (id === undefined) results.push(await this.#insert(jobs, text, key, transaction));
      else results.push({ id, created: key === null || own.get(key) === id });
      if (key !== null) own.delete(key); // a second row with the same key was not added
      if (key !== null && id !== undefined) others.set(key, id);
    }
    return results;
  }
}

/** PostgreSQL ends one of two statements that wait for each other. Not in a transaction of the caller, which has failed. */
async function retryDeadlock<T>(transaction: Executor | undefined, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (transaction !== undefined || attempt === mostDeadlocks || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "40P01";
}
