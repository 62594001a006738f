import type pg from "pg";

export const engineNames = ["tenon-postgres", "pg-boss", "graphile-worker", "bullmq"] as const;
export type EngineName = (typeof engineNames)[number];

/** What the engines of `jobs` and `job-engines` run: `ms` milliseconds of waiting. */
export interface BenchJob {
  readonly job: number;
  readonly ms: number;
}

/** As documented, or with the shortest lock and poll times that the engine accepts. */
export type Settings = "default" | "shortest";

export interface WorkOptions {
  readonly concurrency: number;
  run(job: BenchJob, signal: AbortSignal | undefined): Promise<void>;
}

/** One engine in one process. */
export interface JobEngine {
  /** In the transaction of `client` where the engine can take part in one. */
  enqueue(jobs: readonly BenchJob[], client?: pg.ClientBase): Promise<void>;
  work(options: WorkOptions): Promise<void>;
  /** What its documentation says to do on SIGTERM. */
  stop(): Promise<void>;
}

/** What the process that watches an engine needs to know of it. */
export interface EngineControl {
  /** Jobs that are not completed. */
  open(): Promise<number[]>;
  /** Moves the lock times of running jobs into the past, because a trial cannot wait for hours. */
  expireLocks(): Promise<void>;
  /** Cuts the connections that the engine's processes have to the store. */
  cutConnections(): Promise<void>;
  close(): Promise<void>;
}

export interface EngineInfo {
  readonly name: string;
  readonly label: string;
  readonly store: "postgres" | "redis" | "sqlite";
  /** Creates its tables. */
  prepare(url: string): Promise<void>;
  open(url: string, settings: Settings): Promise<JobEngine>;
  control(url: string): Promise<EngineControl>;
  /** Removes what is not removed with the database. */
  clean?(url: string): Promise<void>;
  /** Seconds for which a crashed worker keeps its job. */
  readonly lock: Readonly<Record<Settings, number>>;
  /** With default settings, in a few words: what job-engines has shown. */
  readonly afterCrash: string;
}
