import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { JobAppOptions } from "../fixtures/job-app.ts";

export interface JobProcessOptions extends JobAppOptions {
  /** Jobs at the same time. Defaults to 0: the process runs none. */
  readonly concurrency?: number;
  /** Milliseconds. */
  readonly stopTimeout?: number;
  readonly log?: "fatal" | "warn" | "info";
  /** A command that runs it. */
  readonly under?: readonly string[];
}

export type JobCommand =
  | { readonly type: "enqueue"; readonly jobs: readonly number[]; readonly ms: number; readonly lanes: number }
  | {
      readonly type: "enqueue many";
      readonly from: number;
      readonly count: number;
      readonly ms?: number;
      readonly failing?: boolean;
    }
  | {
      readonly type: "transactions";
      readonly list: readonly {
        readonly job: number;
        readonly end: "commit" | "rollback" | "crash";
        readonly delay: number;
      }[];
    }
  /** New jobs in each lane, one after another with a pause in milliseconds, until the load is stopped. */
  | { readonly type: "start load"; readonly lanes: number; readonly pause: number }
  | { readonly type: "same key"; readonly key: string; readonly calls: number }
  | { readonly type: "finish"; readonly jobs: readonly number[] }
  | { readonly type: "find"; readonly id: number }
  | { readonly type: "query"; readonly sql: string }
  /** Milliseconds of each claim of one job; the jobs end. */
  | { readonly type: "claim times"; readonly count: number }
  | { readonly type: "stop load" | "prune" | "vacuum" | "memory" };

const file = fileURLToPath(new URL("../fixtures/job-process.ts", import.meta.url));
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL"); // of an aborted part
});

/** A process with jobs, which can be killed, suspended and stopped. */
export class JobProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #said = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    running.add(child);
    this.#exit = once(child, "exit").then(() => running.delete(child));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-4000);
      });
    }
  }

  /** Resolves when the application has started. */
  static async start(options: JobProcessOptions): Promise<JobProcess> {
    const node = ["--conditions=@tenon/source", "--disable-warning=ExperimentalWarning", "--expose-gc"];
    const [command = process.execPath, ...rest] = [...(options.under ?? []), process.execPath];
    const child = fork(file, [JSON.stringify(options)], {
      execPath: command,
      execArgv: [...rest, ...node],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const started = new JobProcess(child);
    await started.#reply();
    return started;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The end of its log. */
  get said(): string {
    return this.#said;
  }

  /** One command at a time. Rejects when it fails, or the process ends first. */
  async ask<T = undefined>(command: JobCommand): Promise<T> {
    const reply = this.#reply();
    this.#child.send(command);
    return (await reply) as T; // the fixture's own protocol
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.alive) this.#child.kill("SIGKILL");
    await this.#exit;
  }

  async exit(): Promise<number | NodeJS.Signals | null> {
    await this.#exit;
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  async #reply(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onMessage = ({ value, error }: { value?: unknown; error?: string }) =>
      error === undefined ? resolve(value) : reject(new Error(error));
    const onExit = () => reject(new Error(`the process ended with ${this.#child.exitCode}: ${this.#said}`));
    this.#child.once("message", onMessage).once("exit", onExit);
    try {
      return await promise;
    } finally {
      this.#child.off("message", onMessage).off("exit", onExit);
    }
  }
}

/** Ends all processes afterwards. */
export async function withJobProcesses<T>(
  body: (start: (options: JobProcessOptions) => Promise<JobProcess>) => Promise<T>,
): Promise<T> {
  const all: JobProcess[] = [];
  const start = async (options: JobProcessOptions) => {
    const started = await JobProcess.start(options);
    all.push(started);
    return started;
  };
  try {
    return await body(start);
  } finally {
    await Promise.all(all.map((child) => child.kill()));
  }
}

/** Whether the condition came true within `limit` milliseconds. It is looked at every `interval` milliseconds. */
export async function becomesTrue(
  condition: () => boolean | Promise<boolean>,
  limit: number,
  interval = 20,
): Promise<boolean> {
  const deadline = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
  return true;
}
