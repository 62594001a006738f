/** The job that a handler runs: `ctx.get("job")`. Undefined in a handler that was started as a command. */
export interface RunningJob {
  readonly id: number;
  readonly name: string;
  readonly queue: string;
  /** From 1 on. */
  readonly attempt: number;
  readonly attempts: number;
  /** When it was enqueued. */
  readonly createdAt: Date;
}

declare module "@tenon/core" {
  interface ContextValues {
    job: RunningJob | undefined;
  }
}

/** Connects the parts of one process. */
export class JobLinks {
  /** Set by a runner: a job was cancelled here, which may be running here. */
  onCancel: ((id: number) => void) | undefined;
  /** Set by a test: runs a job that was enqueued outside a transaction before `enqueue()` returns. */
  onInline: ((id: number) => Promise<void>) | undefined;
  /** By `ctx.signal`, which every run has for itself. */
  readonly running = new WeakMap<AbortSignal, RunningJob>();
}
