/**
 * `scheduled`: waits for its time, also before a retry. `queued`: may start. `done`, `dead` and `cancelled` are final;
 * a dead job has failed in all its attempts, or its input is invalid.
 */
export const jobStates = ["scheduled", "queued", "running", "done", "dead", "cancelled"] as const;
export type JobState = (typeof jobStates)[number];

export interface JobProgress {
  readonly done: number;
  readonly total: number;
  readonly label: string;
}

/** A job as it is stored. Times are in ISO format, in UTC. */
export interface JobRecord {
  readonly id: number;
  readonly name: string;
  readonly queue: string;
  readonly state: JobState;
  readonly priority: number;
  /** How often it was started. */
  readonly attempt: number;
  readonly attempts: number;
  readonly key: string | null;
  readonly input: unknown;
  /** What the handler returned; null unless it is done. */
  readonly result: unknown;
  /** Why the last attempt failed. */
  readonly error: string | null;
  readonly progress: JobProgress | null;
  readonly runAt: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** The process that runs it: host, process id and a random part. */
  readonly worker: string | null;
}

/** A row of `tenon_jobs`. */
export interface JobRow
  extends Pick<JobRecord, "id" | "name" | "queue" | "state" | "priority" | "attempt" | "key" | "error" | "worker"> {
  readonly max_attempts: number;
  readonly claim: number;
  readonly input: string;
  readonly result: string | null;
  readonly progress: string | null;
  readonly run_at: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  /** JSON. */
  readonly carrier: string | null;
}

export const jobColumns =
  "id, name, queue, state, priority, attempt, max_attempts, claim, key, input, result, error, progress, run_at, created_at, started_at, finished_at, worker, carrier";

export function toJobRecord(row: JobRow): JobRecord {
  return {
    id: row.id,
    name: row.name,
    queue: row.queue,
    state: row.state,
    priority: row.priority,
    attempt: row.attempt,
    attempts: row.max_attempts,
    key: row.key,
    input: JSON.parse(row.input),
    result: row.result === null ? null : JSON.parse(row.result),
    error: row.error,
    progress: row.progress === null ? null : JSON.parse(row.progress),
    runAt: toTime(row.run_at),
    createdAt: toTime(row.created_at),
    startedAt: row.started_at === null ? null : toTime(row.started_at),
    finishedAt: row.finished_at === null ? null : toTime(row.finished_at),
    worker: row.worker,
  };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
