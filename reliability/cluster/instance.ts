import { globSync } from "node:fs";
import { request } from "node:http";
import { compileCache } from "../../apps/reference/test/support/processes.ts";
import { httpPort } from "./ports.ts";
import type { ProgramOptions } from "./program.ts";
import { Supervised } from "./supervised.ts";
import { until } from "./until.ts";

const fakeTime = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1")[0] ?? ""; // the path has the name of the processor

/** One instance of the service, with two workers. */
export class Instance {
  readonly name: string;
  readonly #file: string;
  readonly #options: ProgramOptions;
  readonly #process = new Supervised();

  constructor(name: string, file: string, options: Omit<ProgramOptions, "party">) {
    this.name = name;
    this.#file = file;
    this.#options = { ...options, party: name };
  }

  get url(): string {
    return `http://${this.#options.network.address(this.name)}:${httpPort}`;
  }

  /** Starts it and waits until it is ready. `clock`: what is added to its clock, such as "+1h". */
  async start(clock?: string): Promise<void> {
    const faked = { LD_PRELOAD: fakeTime, FAKETIME: clock ?? "", FAKETIME_DONT_FAKE_MONOTONIC: "1" };
    const env = { NODE_COMPILE_CACHE: compileCache, ...this.#options.env, ...(clock === undefined ? {} : faked) };
    this.#process.start([process.execPath, "--conditions=@tenon/source", this.#file], { ...this.#options, env });
    const isReady = async () => this.hasWorkers && (await this.isReady());
    await until(`instance ${this.name} is ready`, isReady).catch((error: unknown) => {
      throw new Error(`instance ${this.name} does not start: ${this.#process.program?.output}`, { cause: error });
    });
  }

  get hasWorkers(): boolean {
    return this.#process.program?.children.length === 2;
  }

  isReady(): Promise<boolean> {
    return new Promise((resolve) => {
      const outgoing = request(`${this.url}/health/ready`, { agent: false, timeout: 3000 }, (response) => {
        response.resume();
        response.once("close", () => resolve(response.statusCode === 200));
      });
      outgoing.once("timeout", () => outgoing.destroy());
      outgoing.once("error", () => resolve(false));
      outgoing.end();
    });
  }

  async kill(): Promise<void> {
    await this.#process.end("SIGKILL");
  }

  /** A graceful stop. */
  async stop(): Promise<void> {
    await this.#process.end("SIGTERM");
  }

  /** Kills one of its workers, which it replaces. */
  killWorker(index: number): void {
    const pid = this.#process.program?.children[index];
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }
}
