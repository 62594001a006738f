import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const fixture = fileURLToPath(new URL("../fixtures/service.ts", import.meta.url));

/** A process that runs one of the services of `fixtures/service.ts`. */
export class Service {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #lines: string[];

  private constructor(child: ChildProcess, url: string, lines: string[]) {
    this.#child = child;
    this.url = url;
    this.#lines = lines;
  }

  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Service> {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = fork(fixture, [...args], {
      execArgv: ["--conditions=@tenon/source"],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: { ...inherited, LOG_LEVEL: "info", ...env },
    });
    const lines: string[] = [];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n")));
    const [message] = await once(child, "message");
    return new Service(child, (message as { url: string }).url, lines); // the protocol of the fixture
  }

  /** The log lines so far. */
  get log(): Record<string, unknown>[] {
    return this.#lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  /** Waits for running jobs, and sends what has not been sent. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.send("stop");
    await exit;
  }
}
