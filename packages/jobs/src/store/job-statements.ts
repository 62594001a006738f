import { type JobRow, jobColumns } from "../job-record.ts";
import { type Dialect, Statement } from "./statement.ts";

export interface Peek {
  /** Milliseconds since 1970, by the clock that decides. */
  readonly now: number;
  /** When the next scheduled job is due; null without one. */
  readonly next_due: number | null;
  /** When the next lease ends; null without one. */
  readonly next_expiry: number | null;
  /** The queues that are not paused and have a job that may start, separated by commas; null without one. */
  readonly ready: string | null;
}

export interface Rescued {
  readonly id: number;
  readonly name: string;
  readonly state: "queued" | "dead";
  readonly attempt: number;
}

/** Whether a job keeps its unique key when it ends now: only until the end of the period. */
const heldKey = "case when key_until > :now then key_held else 0 end";

/** The most jobs of a state that are counted for a metric. */
const mostCounted = 1000;
/** The queues that have a queued job, each found by one step in the index; then null. */
const queuesWithJobs = `q(queue) as (select min(queue) from tenon_jobs where state = 'queued' union all
  select (select min(queue) from tenon_jobs where state = 'queued' and queue > q.queue) from q where q.queue is not null)`;

/** Every statement of the engine. The differences between the databases are the first lines. */
export function createStatements(dialect: Dialect) {
  const isSqlite = dialect.kind === "sqlite";
  const rowsOf = (name: string) =>
    isSqlite ? `json_each(:${name}) as r` : `json_array_elements(cast(:${name} as json)) as r(value)`;
  const textsOf = (name: string) =>
    isSqlite ? `json_each(:${name}) as q` : `json_array_elements_text(cast(:${name} as json)) as q(value)`;
  const list = isSqlite ? "group_concat(q.value, ',')" : "string_agg(q.value, ',')";
  const skipLocked = isSqlite ? "" : "for update skip locked";
  const forUpdate = isSqlite ? "" : "for update";
  const statement = <Row = unknown>(text: string, preparedAs?: string) => new Statement<Row>(text, dialect, preparedAs);

  const columns =
    "name, queue, state, priority, max_attempts, key, key_held, key_until, input, run_at, created_at, carrier";
  /** PostgreSQL inserts in the order of the keys: statements with the same keys in other orders would wait for each other. */
  const many = isSqlite
    ? { id: "", with: "", rows: rowsOf("rows"), order: "" }
    : {
        id: "id, ",
        with: `with numbered as materialized (
          select value, nextval(pg_get_serial_sequence('tenon_jobs', 'id')) as id from ${rowsOf("rows")})`,
        rows: "numbered r",
        order: "order by r.value ->> 1",
      };
  const isPaused = (queue: string) =>
    `exists (select 1 from tenon_job_queues where tenon_job_queues.name = ${queue} and paused = 1)`;
  /** When the first job of the queue `q.value` was due; null without one. */
  const head = isSqlite
    ? `(select run_at from tenon_jobs where state = 'queued' and queue = q.value
        order by priority desc, run_at, id limit 1)`
    : "tenon_jobs_head(q.value, cast(:bounds as json) -> q.value)";
  const start = `state = 'running', attempt = attempt + 1, claim = claim + 1, worker = :worker,
    lease_until = :now + cast(:lease as bigint), started_at = :now, finished_at = null, progress = null`;
  const next = isSqlite
    ? `select id from tenon_jobs where state = 'queued' and queue = :queue and not ${isPaused(":queue")}
        order by priority desc, run_at, id limit :limit`
    : `select id from tenon_jobs_next(:queue, cast(:limit as integer), cast(:bounds as json)) as id where not ${isPaused(":queue")}`;
  /** The job that holds each of the keys. PostgreSQL would read all held keys for each one while its statistics are old. */
  const holders = `from ${textsOf("keys")} cross join ${isSqlite ? "" : "lateral (select * from "}tenon_jobs
    ${isSqlite ? "" : "where name = :name and key_held = 1 and key = q.value limit 1) "}j
    ${isSqlite ? "where j.name = :name and j.key_held = 1 and j.key = q.value" : "where true"}`;
  /** Not `state = 'running'`: PostgreSQL would read the whole index of running jobs, with the entries of ended ones. */
  const isHeld = (list: string, row: string) => `tenon_jobs.id = ${row}.job and tenon_jobs.claim = ${row}.token
    and tenon_jobs.lease_until is not null
    ${isSqlite ? "" : `and tenon_jobs.id = any(array(select cast(value ->> 0 as bigint) from ${rowsOf(list)}))`}`;
  const held = `(select cast(value ->> 0 as bigint) as job, cast(value ->> 1 as integer) as token
    from ${rowsOf("held")}) h where ${isHeld("held", "h")}`;

  const stray = "state = 'queued' and queue = :queue and name = r.value ->> 0";
  const strays = isSqlite
    ? `tenon_jobs j where ${stray}`
    : `lateral (select id from tenon_jobs where ${stray} limit :limit for update skip locked) j`;

  return {
    /** Prepared: to plan it takes PostgreSQL longer than to run it. */
    insert: statement<{ id: number }>(
      `insert into tenon_jobs (${columns})
      select :name, :queue, case when t.run_at > t.now then 'scheduled' else 'queued' end, cast(:priority as integer),
        cast(:attempts as integer), cast(:key as text), case when cast(:key as text) is null then 0 else 1 end,
        t.now + cast(:period as bigint), :input, t.run_at, t.now, cast(:carrier as text)
      from (select n.now, coalesce(cast(:run_at as bigint), n.now + cast(:delay as bigint)) as run_at
        from (select :now as now) n) t where true
      on conflict do nothing returning id`,
      "tenon_jobs_insert",
    ),

    /** `rows`: a list of [input, key or null]. The ids grow in the order of the rows. */
    insertMany: statement<{ id: number; key: string | null }>(`insert into tenon_jobs (${many.id}${columns})
      ${many.with} select ${many.id} :name, :queue, case when t.run_at > t.now then 'scheduled' else 'queued' end,
        cast(:priority as integer), cast(:attempts as integer), r.value ->> 1,
        case when r.value ->> 1 is null then 0 else 1 end,
        t.now + cast(:period as bigint), r.value ->> 0, t.run_at, t.now, cast(:carrier as text)
      from (select n.now, coalesce(cast(:run_at as bigint), n.now + cast(:delay as bigint)) as run_at
        from (select :now as now) n) t, ${many.rows} where true
      ${many.order} on conflict do nothing returning id, key`),

    /** Frees a unique key whose period has ended, of a job that has ended. */
    freeKeys: statement(`update tenon_jobs set key_held = 0 where id in (select j.id ${holders})
      and state in ('done', 'dead', 'cancelled') and (key_until is null or key_until <= :now)`),
    findKeys: statement<{ id: number; key: string }>(`select j.id, j.key ${holders}`),

    peek: statement<Peek>(`select :now as now,
      (select min(run_at) from tenon_jobs where state = 'scheduled' and run_at >= :due) as next_due,
      (select min(lease_until) from tenon_jobs where state = 'running' and lease_until >= :expiry) as next_expiry,
      (select ${list} from ${textsOf("queues")}
        where ${head} is not null and not ${isPaused("q.value")}) as ready`),

    promote: statement(`update tenon_jobs set state = 'queued' where id in (
      select id from tenon_jobs where state = 'scheduled' and run_at <= :now and run_at >= :due
      limit :limit ${skipLocked})`),

    claim: statement<JobRow>(
      isSqlite
        ? `update tenon_jobs set ${start} where id in (${next}) returning ${jobColumns}`
        : `with next as materialized (${next})
           update tenon_jobs set ${start} from next where tenon_jobs.id = next.id
           returning ${jobColumns.replace("id,", "tenon_jobs.id,")}`,
    ),
    /** The same for one job, whatever its place in the queue. */
    claimOne: statement<JobRow>(`update tenon_jobs set ${start} where id = :id and state = 'queued'
      returning ${jobColumns}`),

    renew: statement<{ id: number }>(`update tenon_jobs set lease_until = :now + cast(:lease as bigint)
      from ${held} returning tenon_jobs.id`),

    /** `outcomes`: a list of [id, claim, state, result, error, delay, keep, attempts to give back]. */
    finish: statement<{ id: number }>(`update tenon_jobs set
        state = o.state, result = o.result, worker = null, lease_until = null,
        error = case when o.state = 'queued' then tenon_jobs.error else o.error end,
        attempt = attempt - o.refund,
        run_at = case when o.state in ('scheduled', 'queued') then :now + o.delay else run_at end,
        finished_at = case when o.state in ('done', 'dead') then :now end,
        expires_at = case when o.state in ('done', 'dead') then :now + o.keep end,
        key_held = case when o.state in ('done', 'dead') then ${heldKey} else key_held end
      from (select cast(value ->> 0 as bigint) as job, cast(value ->> 1 as integer) as token, value ->> 2 as state,
        value ->> 3 as result, value ->> 4 as error, cast(value ->> 5 as bigint) as delay,
        cast(value ->> 6 as bigint) as keep, cast(value ->> 7 as integer) as refund from ${rowsOf("outcomes")}) o
      where ${isHeld("outcomes", "o")} returning tenon_jobs.id`),

    /** `progress`: a list of [id, claim, JSON]. */
    saveProgress: statement(`update tenon_jobs set progress = p.progress
      from (select cast(value ->> 0 as bigint) as job, cast(value ->> 1 as integer) as token, value ->> 2 as progress
        from ${rowsOf("progress")}) p where ${isHeld("progress", "p")}`),

    /** Jobs whose worker has not renewed the lease: it has crashed, or is suspended. `keeps`: an object, by job name. */
    rescue: statement<Rescued>(`update tenon_jobs set
        state = case when attempt >= max_attempts then 'dead' else 'queued' end,
        error = :error, worker = null, lease_until = null, run_at = :now,
        finished_at = case when attempt >= max_attempts then :now end,
        expires_at = case when attempt >= max_attempts then :now
          + coalesce(cast(${isSqlite ? ":keeps" : "cast(:keeps as json)"} ->> name as bigint), cast(:keep as bigint)) end,
        key_held = case when attempt >= max_attempts then ${heldKey} else key_held end
      where id in (select id from tenon_jobs where state = 'running' and lease_until < :now and lease_until >= :expiry
        limit :limit ${skipLocked})
      returning id, name, state, attempt`),

    /** Jobs that a claim has started whose result was lost with the connection. */
    reclaim: statement(`update tenon_jobs
      set state = 'queued', attempt = attempt - 1, worker = null, lease_until = null
      where state = 'running' and worker = :worker and id not in (select cast(value as bigint) from ${textsOf("ids")})`),

    cancel: statement<{ id: number }>(`update tenon_jobs set
        state = 'cancelled', worker = null, lease_until = null, finished_at = :now,
        expires_at = :now + cast(:keep as bigint), key_held = ${heldKey}
      where id = :id and state in ('scheduled', 'queued', 'running') returning id`),
    retry: statement<{ id: number }>(`update tenon_jobs set
        state = 'queued', attempt = 0, run_at = :now, finished_at = null, expires_at = null,
        key_held = case when key is null then 0 else 1 end
      where id = :id and state in ('dead', 'cancelled', 'scheduled') returning id`),
    queues: statement<{ queue: string }>(
      `with recursive ${queuesWithJobs} select queue from q where queue is not null`,
    ),
    /** Jobs whose definition has changed its queue. `targets`: a list of [name, queue]. */
    move: statement<{ name: string; queue: string }>(`update tenon_jobs set queue = s.target
      from (select j.id as job, r.value ->> 1 as target from ${rowsOf("targets")} cross join ${strays} limit :limit) s
      where tenon_jobs.id = s.job and not ${isPaused(":queue")} returning name, tenon_jobs.queue`),
    postpone: statement(`update tenon_jobs set state = 'scheduled', claim = claim + 1, error = :error, run_at = :now
        + case when claim - attempt > 9 then cast(:longest as bigint) else ${isSqlite ? "min" : "least"}(
          cast(:longest as bigint), cast(:first as bigint) * (1 << (claim - attempt))) end
      where id in (select id from tenon_jobs where state = 'queued' and queue = :queue and name = :name
        limit :limit ${skipLocked})`),
    /** The second condition is checked again on a row that another process has changed: it keeps a job that is retried. */
    prune: statement(`delete from tenon_jobs where id in (
      select id from tenon_jobs where expires_at <= :now limit :limit ${skipLocked}) and expires_at <= :now`),
    find: statement<JobRow>(`select ${jobColumns} from tenon_jobs where id = :id`),
    counts: statement<{ queue: string; state: string; count: number; oldest: number }>(
      "select queue, state, count(*) as count, min(run_at) as oldest from tenon_jobs group by queue, state order by queue, state",
    ),
    /**
     * Without the jobs that are done or cancelled. Reads the first 1,000 of each queue that are queued, and of all queues
     * that are scheduled or dead, by their indexes.
     */
    depths: statement<{ queue: string; state: string; count: number }>(`with recursive ${queuesWithJobs}
      select queue, 'queued' as state, (select count(*) from (select 1 from tenon_jobs
          where state = 'queued' and queue = q.queue order by priority desc, run_at, id limit ${mostCounted}) c) as count
        from q where queue is not null
      union all select queue, 'scheduled', count(*) from (select queue from tenon_jobs
        where state = 'scheduled' order by run_at limit ${mostCounted}) s group by queue
      union all select queue, 'running', count(*) from tenon_jobs where state = 'running' group by queue
      union all select queue, 'dead', count(*) from (select queue from tenon_jobs
        where state = 'dead' order by id desc limit ${mostCounted}) d group by queue`),
    /** For PostgreSQL, whose planner would read the table where many rows match. */
    readIndexes: statement(`select set_config('enable_seqscan', 'off', true),
      set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`),
    /** The job that starts next in each queue: when none starts, it is the same for a long time. */
    heads: statement<{ queue: string; run_at: number; running: number; now: number }>(`select q.value as queue,
        ${head} as run_at,
        (select count(*) from tenon_jobs where state = 'running' and queue = q.value and lease_until >= :now) as running,
        :now as now
      from ${textsOf("queues")}
      where ${head} is not null and not ${isPaused("q.value")}`),

    pause: statement(`insert into tenon_job_queues (name, paused) values (:queue, 1)
      on conflict (name) do update set paused = 1`),
    resume: statement(`update tenon_job_queues set paused = 0 where name = :queue and paused = 1`),
    paused: statement<{ name: string }>("select name from tenon_job_queues where paused = 1 order by name"),

    addQueue: statement("insert into tenon_job_queues (name) values (:queue) on conflict do nothing"),
    rateWindow: statement<{ window_start: number; window_count: number; now: number }>(
      `select window_start, window_count, :now as now
      from tenon_job_queues where name = :queue ${forUpdate}`,
    ),
    saveWindow: statement(`update tenon_job_queues set window_start = :start, window_count = :count
      where name = :queue`),

    /** A new schedule begins now. One whose pattern has changed begins again, so that no tick of the old one is missed. */
    addSchedule: statement(`insert into tenon_job_schedules (name, pattern, timezone, last_tick)
      values (:name, :pattern, :timezone, :now)
      on conflict (name) do update set pattern = excluded.pattern, timezone = excluded.timezone,
        last_tick = case when tenon_job_schedules.pattern = excluded.pattern
          and tenon_job_schedules.timezone = excluded.timezone then tenon_job_schedules.last_tick else :now end`),
    readSchedules: statement<{ name: string; last_tick: number; now: number }>(
      "select name, last_tick, :now as now from tenon_job_schedules",
    ),
    /** Changes a row in one instance only: the others see the new tick. */
    tick: statement<{ name: string }>(`update tenon_job_schedules set last_tick = :tick
      where name = :name and last_tick = :last returning name`),
  };
}

export type Statements = ReturnType<typeof createStatements>;
