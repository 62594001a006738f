import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Network } from "./network.ts";

export interface ProgramOptions {
  readonly network: Network;
  readonly party: string;
  /** Its output is added to `<party>.log` here. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it runs as the user postgres: PostgreSQL and PgBouncer refuse root. */
  readonly asPostgres?: boolean;
}

export const asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"];

/** A process of a party. */
export class Program {
  readonly #child: ChildProcess;
  readonly exit: Promise<unknown>;
  readonly #log: string;

  constructor(command: readonly string[], { network, party, folder, env, asPostgres: isServer }: ProgramOptions) {
    const [file = "", ...args] = [...network.enter(party), ...(isServer === true ? asPostgres : []), ...command];
    this.#log = join(folder, `${party}.log`);
    const log = openSync(this.#log, "a");
    // both commands before the program replace themselves by it: its id is the child's
    this.#child = spawn(file, args, {
      cwd: folder,
      stdio: ["ignore", log, log],
      ...(env === undefined ? {} : { env }),
    });
    closeSync(log);
    this.exit = once(this.#child, "exit");
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The ids of the processes that it has started. */
  get children(): number[] {
    const { pid } = this.#child;
    const file = `/proc/${pid}/task/${pid}/children`;
    if (!this.isRunning || !existsSync(file)) return [];
    return readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number);
  }

  /** The end of its log. */
  get output(): string {
    return readFileSync(this.#log, "utf8").slice(-2000);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.isRunning) this.#child.kill(signal);
    await this.exit;
  }
}
