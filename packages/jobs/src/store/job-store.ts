import { Clock, inject } from "@tenon/core";
import { Database, SharedStore, sql } from "@tenon/data";
import { Kysely } from "kysely";
import { type JobRecord, type JobRow, type JobState, jobColumns, toJobRecord } from "../job-record.ts";
import { createStatements, type Peek, type Rescued, type Statements } from "./job-statements.ts";
import { LookBounds } from "./look-bounds.ts";
import { type Executor, Statement } from "./statement.ts";

/** What is inserted: one job, or many that differ in input and key only. */
export interface NewJobs {
  readonly name: string;
  readonly queue: string;
  readonly priority: number;
  readonly attempts: number;
  /** Milliseconds from now. Not used with `runAt`. */
  readonly delay: number;
  /** Milliseconds since 1970. */
  readonly runAt: number | undefined;
  /** Milliseconds for which a key stays unique, from now on, also when the job has ended. */
  readonly keyPeriod: number | undefined;
  /** JSON: what subscribers of `tenon.enqueue` have added. Defaults to null. */
  readonly carrier?: string | null;
}

/** A job that this process runs. The two numbers are the token without which nothing can be written for it. */
export interface Claim {
  readonly id: number;
  /** Counts how often the job was started, over its whole life. A later claim invalidates the earlier ones. */
  readonly claim: number;
}

/** How an attempt ended. */
export interface Outcome extends Claim {
  /** `scheduled` and `queued` run it again. */
  readonly state: "done" | "dead" | "scheduled" | "queued";
  /** JSON. */
  readonly result: string | null;
  readonly error: string | null;
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  /** Milliseconds for which a finished job is kept. */
  readonly keep: number;
  /** Whether the attempt does not count. */
  readonly refund: boolean;
}

export interface RateLimit {
  readonly limit: number;
  /** Milliseconds. */
  readonly per: number;
}

export interface ListOptions {
  readonly state?: JobState;
  readonly queue?: string;
  readonly name?: string;
  readonly key?: string;
  /** Defaults to 50. */
  readonly limit?: number;
  /** Only jobs with a smaller id: the id of the last one of the page before. */
  readonly before?: number;
}

/** Not clock_timestamp(), whose value may change within a statement: no index would be used for it. */
const serverTime = "cast(extract(epoch from statement_timestamp()) * 1000 as bigint)";
const activeStates: readonly JobState[] = ["scheduled", "queued", "running"];
/** The channel on which processes hear that a job may start. */
const jobChannel = "tenon_jobs";
/** Rows that one statement promotes, rescues or deletes. */
const batch = 1000;
/** Connections of the engine: one each for claims, renewals and results, which do not wait for each other. */
const engineConnections = 3;

/** The engine: jobs as rows of a table, on SQLite and on PostgreSQL. Every change of a job is one statement. */
export class JobStore {
  readonly #db = inject(Database);
  readonly #shared = inject(SharedStore);
  readonly #clock = inject(Clock);
  readonly #statements: Statements;
  readonly #now: string | undefined;
  /** Runs claims, renewals and results. */
  #engine: Database = this.#db;

  constructor() {
    const { kind } = this.#db;
    this.#now = kind === "postgres" && this.#clock.isSystem ? serverTime : undefined;
    this.#statements = createStatements({ kind, now: this.#now });
  }

  get database(): Database {
    return this.#db;
  }

  /** Gives the engine connections of its own: handlers that use up the pool must not keep it from renewing their leases. */
  reserve(): void {
    if (this.#engine === this.#db) this.#engine = this.#db.reserve(engineConnections) ?? this.#db;
  }

  /** Closes these connections. */
  async release(): Promise<void> {
    const engine = this.#engine;
    this.#engine = this.#db;
    if (engine !== this.#db) await engine.destroy();
  }

  /** The id of the new job; undefined when another one holds its key. */
  async insert(jobs: NewJobs, input: string, key: string | null, executor: Executor = this.#db) {
    const row = await this.#statements.insert.first(executor, { ...this.#toValues(jobs), input, key });
    if (row !== undefined) await this.#notify(executor);
    return row?.id;
  }

  /** The jobs that were inserted, in the order of the rows; those whose key is held are left out. */
  async insertMany(jobs: NewJobs, rows: readonly (readonly [string, string | null])[], executor: Executor = this.#db) {
    const values = { ...this.#toValues(jobs), rows: JSON.stringify(rows) };
    const added = await this.#statements.insertMany.all(executor, values);
    if (added.length > 0) await this.#notify(executor);
    return added.sort((a, b) => a.id - b.id);
  }

  /** Frees the keys of jobs that have ended, and returns the jobs that still hold one. */
  async findKeys(name: string, keys: readonly string[], executor: Executor = this.#db): Promise<Map<string, number>> {
    const values = { name, keys: JSON.stringify(keys), now: this.#clock.now() };
    await this.#statements.freeKeys.run(executor, values);
    const rows = await this.#statements.findKeys.all(executor, values);
    return new Map(rows.map(({ key, id }) => [key, id]));
  }

  async peek(queues: readonly string[], bounds = new LookBounds()): Promise<Peek> {
    const now = this.#clock.now();
    bounds.start();
    const values = { now, queues: JSON.stringify(queues), bounds: toBounds(queues, bounds) };
    const row = await this.#statements.peek.first(this.#engine, { ...values, due: bounds.due, expiry: bounds.expiry });
    const peek = row ?? { now, next_due: null, next_expiry: null, ready: null };
    bounds.end(peek);
    return peek;
  }

  /** Makes due jobs ready to start. Returns how many. */
  async promote({ due } = new LookBounds()): Promise<number> {
    const count = await this.#statements.promote.run(this.#engine, { now: this.#clock.now(), limit: batch, due });
    if (count > 0) await this.#notify();
    return count;
  }

  /** Starts up to `limit` jobs of a queue, in the order in which they should start. */
  claim(queue: string, limit: number, worker: string, lease: number, bounds = new LookBounds()): Promise<JobRow[]> {
    return this.#claim(this.#engine, queue, limit, worker, lease, bounds);
  }

  /** The same within a rate, which all processes share. `wait`: milliseconds until the queue may start another job. */
  async claimWithin(
    rate: RateLimit,
    queue: string,
    limit: number,
    worker: string,
    lease: number,
    bounds = new LookBounds(),
  ) {
    await this.#statements.addQueue.run(this.#engine, { queue });
    return this.#engine.transaction().execute(async (transaction) => {
      const row = await this.#statements.rateWindow.first(transaction, { queue, now: this.#clock.now() });
      const { now, window_start, window_count } = row ?? { now: 0, window_start: 0, window_count: rate.limit };
      const isOver = now - window_start >= rate.per;
      const start = isOver ? now : window_start;
      const started = isOver ? 0 : window_count;
      const allowed = Math.min(limit, rate.limit - started);
      const rows = allowed <= 0 ? [] : await this.#claim(transaction, queue, allowed, worker, lease, bounds);
      const count = started + rows.length;
      if (rows.length > 0) await this.#statements.saveWindow.run(transaction, { queue, start, count });
      return { rows, wait: count < rate.limit ? 0 : start + rate.per - now };
    });
  }

  async #claim(
    executor: Executor,
    queue: string,
    limit: number,
    worker: string,
    lease: number,
    bounds: LookBounds,
  ): Promise<JobRow[]> {
    const values = { queue, limit, worker, lease, now: this.#clock.now(), bounds: JSON.stringify(bounds.of(queue)) };
    const rows = await this.#statements.claim.all(executor, values);
    rows.sort((a, b) => b.priority - a.priority || a.run_at - b.run_at || a.id - b.id);
    bounds.note(rows);
    return rows;
  }

  claimOne(id: number, worker: string, lease: number): Promise<JobRow | undefined> {
    return this.#statements.claimOne.first(this.#engine, { id, worker, lease, now: this.#clock.now() });
  }

  /** Extends the leases. Returns the ids that are still held: the others were cancelled or rescued. */
  async renew(claims: readonly Claim[], lease: number): Promise<Set<number>> {
    const held = JSON.stringify(claims.map(({ id, claim }) => [id, claim]));
    const rows = await this.#statements.renew.all(this.#engine, { held, lease, now: this.#clock.now() });
    return new Set(rows.map(({ id }) => id));
  }

  /** Writes how attempts ended. Returns the ids that were still held; nothing is written for the others. */
  async finish(outcomes: readonly Outcome[]): Promise<Set<number>> {
    const rows = await this.#statements.finish.all(this.#engine, {
      now: this.#clock.now(),
      outcomes: JSON.stringify(
        outcomes.map((o) => [o.id, o.claim, o.state, o.result, o.error, o.delay, o.keep, o.refund ? 1 : 0]),
      ),
    });
    if (outcomes.some(({ state }) => state === "queued")) await this.#notify();
    return new Set(rows.map(({ id }) => id));
  }

  saveProgress(list: readonly (Claim & { readonly progress: string })[]): Promise<number> {
    const progress = JSON.stringify(list.map((item) => [item.id, item.claim, item.progress]));
    return this.#statements.saveProgress.run(this.#engine, { progress });
  }

  /** `keep` is how long a job is kept that is dead now; `keeps` has what differs, by job name. */
  async rescue(
    keep: number,
    error: string,
    keeps: Readonly<Record<string, number>> = {},
    { expiry } = new LookBounds(),
  ): Promise<Rescued[]> {
    const values = { now: this.#clock.now(), keep, keeps: JSON.stringify(keeps), error, limit: batch, expiry };
    const rescued = await this.#statements.rescue.all(this.#engine, values);
    if (rescued.length > 0) await this.#notify();
    return rescued;
  }

  async reclaim(worker: string, held: readonly number[]): Promise<number> {
    const count = await this.#statements.reclaim.run(this.#engine, { worker, ids: JSON.stringify(held) });
    if (count > 0) await this.#notify();
    return count;
  }

  /** The queues that have a job that may start, also those that no definition names any more. */
  async queues(): Promise<string[]> {
    return (await this.#statements.queues.all(this.#engine, {})).map(({ queue }) => queue);
  }

  /** Moves up to a thousand queued jobs of a queue to those of the targets, unless it is paused. Returns the moved ones. */
  move(queue: string, targets: readonly (readonly [name: string, queue: string])[]) {
    const values = { queue, targets: JSON.stringify(targets), limit: batch };
    return this.#byIndexes(this.#engine, (executor) => this.#statements.move.all(executor, values));
  }

  /** Puts off up to a thousand queued jobs without a handler, as if each had been started in vain. Returns how many. */
  postpone(queue: string, name: string, pauses: { readonly first: number; readonly longest: number }, error: string) {
    const values = { queue, name, ...pauses, error, limit: batch, now: this.#clock.now() };
    return this.#byIndexes(this.#engine, (executor) => this.#statements.postpone.run(executor, values));
  }

  async cancel(id: number, keep: number): Promise<boolean> {
    return (await this.#statements.cancel.all(this.#db, { id, keep, now: this.#clock.now() })).length > 0;
  }

  async retry(id: number): Promise<boolean> {
    const rows = await this.#statements.retry.all(this.#db, { id, now: this.#clock.now() });
    if (rows.length > 0) await this.#notify();
    return rows.length > 0;
  }

  /** Deletes up to a thousand jobs that are past their `keep` period. Returns how many. */
  pruneBatch(): Promise<number> {
    return this.#statements.prune.run(this.#engine, { now: this.#clock.now(), limit: batch });
  }

  /** Gives the space of deleted rows back to the file system. Locks an SQLite file while it is copied. */
  async vacuum(): Promise<void> {
    await sql.raw(this.#db.kind === "sqlite" ? "vacuum" : "vacuum tenon_jobs").execute(this.#db);
  }

  async find(id: number): Promise<JobRecord | undefined> {
    const row = await this.#statements.find.first(this.#db, { id });
    return row === undefined ? undefined : toJobRecord(row);
  }

  async list({ state, queue, name, key, before, limit = 50 }: ListOptions): Promise<JobRecord[]> {
    const conditions = [
      state === undefined ? undefined : `state = '${state}'`, // a literal, so that the index of its state is used
      queue === undefined ? undefined : "queue = :queue",
      name === undefined ? undefined : "name = :name",
      key === undefined ? undefined : "key = :key",
      key !== undefined && state !== undefined && activeStates.includes(state) ? "key_held = 1" : undefined, // its index
      before === undefined ? undefined : "id < :before",
    ].filter((condition) => condition !== undefined);
    const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
    const text = `select ${jobColumns} from tenon_jobs ${where} order by id desc limit :limit`;
    const statement = new Statement<JobRow>(text, { kind: this.#db.kind, now: this.#now });
    const values = { queue: queue ?? null, name: name ?? null, key: key ?? null, before: before ?? null, limit };
    return (await statement.all(this.#db, values)).map(toJobRecord);
  }

  counts() {
    return this.#statements.counts.all(this.#db, {});
  }

  /** By queue and state. Takes as long with millions of jobs as with a thousand, which is as far as it counts. */
  depths() {
    return this.#byIndexes(this.#db, (executor) => this.#statements.depths.all(executor, {}));
  }

  #byIndexes<T>(db: Database, run: (executor: Executor) => Promise<T>): Promise<T> {
    if (db.kind === "sqlite") return run(db);
    return db.transaction().execute(async (transaction) => {
      await this.#statements.readIndexes.all(transaction, {});
      return run(transaction);
    });
  }

  heads(queues: readonly string[]) {
    const values = { queues: JSON.stringify(queues), bounds: toBounds(queues, new LookBounds()) };
    return this.#statements.heads.all(this.#engine, { ...values, now: this.#clock.now() });
  }

  async pause(queue: string): Promise<void> {
    await this.#statements.pause.run(this.#db, { queue });
  }

  async resume(queue: string): Promise<void> {
    await this.#statements.resume.run(this.#db, { queue });
    await this.#notify();
  }

  async pausedQueues(): Promise<string[]> {
    return (await this.#statements.paused.all(this.#db, {})).map(({ name }) => name);
  }

  async addSchedule(name: string, pattern: string, timezone: string): Promise<void> {
    await this.#statements.addSchedule.run(this.#engine, { name, pattern, timezone, now: this.#clock.now() });
  }

  /** By name, the last tick that was handled; and the time, by the clock that decides. */
  async readSchedules(): Promise<{ readonly now: number; readonly lastTicks: ReadonlyMap<string, number> }> {
    const now = this.#clock.now();
    const rows = await this.#statements.readSchedules.all(this.#engine, { now });
    return { now: rows[0]?.now ?? now, lastTicks: new Map(rows.map(({ name, last_tick }) => [name, last_tick])) };
  }

  /** Moves a schedule to a tick and adds its jobs, both or none. False when another instance was first. */
  tick(name: string, last: number, tick: number, jobs: NewJobs, inputs: readonly string[]): Promise<boolean> {
    return this.#engine.transaction().execute(async (transaction) => {
      const moved = await this.#statements.tick.all(transaction, { name, last, tick });
      if (moved.length === 0) return false;
      if (inputs.length > 0) {
        const rows = inputs.map((input) => [input, null] as const);
        await this.insertMany(jobs, rows, transaction);
      }
      return true;
    });
  }

  /** Calls the function when a job may start, until the returned function is called. */
  onReady(run: () => void): () => void {
    return this.#shared.listen(jobChannel, run);
  }

  /** Wakes workers. A transaction of another driver has no hook for its commit: workers find its jobs by themselves. */
  async #notify(executor: Executor = this.#db): Promise<void> {
    const transaction = executor instanceof Kysely && executor.isTransaction ? executor : undefined;
    await this.#shared.notify(jobChannel, "", transaction);
  }

  #toValues({ name, queue, priority, attempts, delay, runAt, keyPeriod, carrier = null }: NewJobs) {
    const times = { delay, run_at: runAt ?? null, period: keyPeriod ?? null, now: this.#clock.now() };
    return { name, queue, priority, attempts, carrier, ...times };
  }
}

function toBounds(queues: readonly string[], bounds: LookBounds): string {
  return JSON.stringify(Object.fromEntries(queues.map((queue) => [queue, bounds.of(queue)])));
}
