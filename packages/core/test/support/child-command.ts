import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { spawnFixture } from "./run-fixture.ts";

export interface ChildResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of a fixture in a process of its own. */
export class ChildCommand {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  #stdout = "";
  #stderr = "";

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawnFixture("blog.ts", argv, { env });
    this.#closed = once(this.#process, "close");
    this.#process.stdin?.on("error", () => {}); // it may exit before it has read everything
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
  }

  /** Waits until stderr contains this text. */
  async waitFor(text: string): Promise<this> {
    const signal = AbortSignal.timeout(240_000);
    while (!this.#stderr.includes(text)) {
      if (this.#process.stderr === null) throw new Error("the command has no stderr");
      await once(this.#process.stderr, "data", { signal });
    }
    return this;
  }

  signal(name: NodeJS.Signals): this {
    this.#process.kill(name);
    return this;
  }

  /** Reads one chunk of its output and no more, as `| head` does. */
  async closeOutput(): Promise<this> {
    const { stdout } = this.#process;
    if (stdout === null) throw new Error("the command has no stdout");
    await once(stdout, "data");
    stdout.destroy();
    return this;
  }

  write(text: string): this {
    this.#process.stdin?.write(text);
    return this;
  }

  /** Ends its input. */
  end(input: string): this {
    this.#process.stdin?.end(input);
    return this;
  }

  async result(): Promise<ChildResult> {
    const [code] = await this.#closed;
    return { code: code as number | null, stdout: this.#stdout, stderr: this.#stderr }; // of the close event
  }
}
