import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { fileURLToPath } from "node:url";
import { endWithUs } from "../children.ts";
import type { BenchJob, Settings } from "./engine.ts";

export type Command =
  | { readonly type: "enqueue"; readonly jobs: readonly BenchJob[] }
  | { readonly type: "work"; readonly concurrency: number }
  /** Ends these jobs before their time. */
  | { readonly type: "finish"; readonly jobs: readonly number[] }
  /** `count` jobs of no work: enqueued one at a time in `lanes`, then run. */
  | {
      readonly type: "throughput";
      readonly count: number;
      readonly lanes: number;
      readonly limit: number;
    }
  /** Microseconds of processor time so far. */
  | { readonly type: "processor" }
  | { readonly type: "transaction"; readonly job: BenchJob; readonly end: "commit" | "rollback" | "crash" };

export interface Throughput {
  /** Jobs in a second. */
  readonly enqueued: number;
  readonly ran: number;
  /** Milliseconds for enqueuing and running one job. */
  readonly cost: number;
  /** Milliseconds of processor time of this process for it. */
  readonly processor: number;
}

/** `at` is in milliseconds since 1970, by the clock of the machine. */
export type Report =
  | { readonly event: "done"; readonly at: number; readonly value?: unknown }
  | { readonly event: "started" | "finished" | "aborted"; readonly job: number; readonly at: number };

export interface JobReport {
  readonly event: "started" | "finished" | "aborted";
  readonly job: number;
  readonly at: number;
}

export interface EngineChildOptions {
  readonly engine: string;
  readonly settings: Settings;
  readonly url: string;
  readonly postgresUrl: string;
}

const file = fileURLToPath(new URL("./engine-process.ts", import.meta.url));

/** A process with one engine, which can be killed, suspended and stopped. */
export class EngineChild {
  readonly reports: JobReport[] = [];
  readonly #child: ChildProcess;
  readonly #changes = new EventEmitter();
  readonly #exit: Promise<unknown>;
  #said = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, "exit").then(() => this.#changes.emit("change"));
    child.on("message", (report: Report) => {
      if (report.event === "done") this.#changes.emit("done", report.value);
      else this.reports.push(report);
      this.#changes.emit("change");
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-2000);
    });
  }

  static async start({ engine, settings, url, postgresUrl }: EngineChildOptions): Promise<EngineChild> {
    const process_ = fork(file, [engine, settings, url], {
      execArgv: ["--conditions=@tenon/source", "--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, BENCH_POSTGRES_URL: postgresUrl },
    });
    const child = new EngineChild(endWithUs(process_));
    await child.#done();
    return child;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get exitCode(): number | NodeJS.Signals | null {
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  /** The end of its standard error. */
  get said(): string {
    return this.#said.trim();
  }

  async perform<T = unknown>(command: Command): Promise<T> {
    const done = this.#done();
    this.#child.send(command);
    return (await done) as T; // the protocol of engine-process.ts
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.alive) this.#child.kill("SIGKILL");
    await this.#exit;
  }

  /** Milliseconds since 1970 when the job's event was reported; undefined after `limit` milliseconds without it. */
  async when(event: JobReport["event"], job: number, limit: number): Promise<number | undefined> {
    const find = () => this.reports.find((report) => report.event === event && report.job === job);
    await this.until(() => find() !== undefined, limit);
    return find()?.at;
  }

  /** Whether the condition came true within `limit` milliseconds; it is looked at after each report and at the exit. */
  async until(condition: () => boolean, limit: number): Promise<boolean> {
    const deadline = performance.now() + limit;
    while (!condition()) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await once(this.#changes, "change", { signal: AbortSignal.timeout(Math.ceil(left)) }).catch(() => {});
    }
    return true;
  }

  async #done(): Promise<unknown> {
    const controller = new AbortController();
    const done = once(this.#changes, "done", { signal: controller.signal });
    done.catch(() => {});
    const failed = this.#exit.then(() => {
      throw new Error(`the process of the engine ended with ${this.exitCode}: ${this.said}`);
    });
    failed.catch(() => {});
    try {
      const [value] = await Promise.race([done, failed]);
      return value;
    } finally {
      controller.abort();
    }
  }
}
