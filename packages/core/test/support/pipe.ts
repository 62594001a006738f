import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** A folder for one test. */
export function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A pipe for one test. */
export function pipeOf(t: TestContext): Pipe {
  const pipe = new Pipe(folderOf(t));
  t.after(() => pipe.close());
  return pipe;
}

/** A pipe with a name, so that its reader can stall, go away and come back. */
export class Pipe {
  /** The writing end. It blocks, as an inherited pipe does. */
  readonly fd: number;
  readonly #path: string;
  readonly #buffer = Buffer.alloc(64 * 1024);
  #reader: number | undefined;
  #text = "";

  constructor(folder: string) {
    this.#path = join(folder, "pipe");
    execFileSync("mkfifo", [this.#path]);
    this.#reader = openSync(this.#path, O_RDONLY | O_NONBLOCK);
    this.fd = openSync(this.#path, O_WRONLY);
  }

  close(): void {
    this.closeReader();
    closeSync(this.fd);
  }

  closeReader(): void {
    if (this.#reader !== undefined) closeSync(this.#reader);
    this.#reader = undefined;
  }

  openReader(): void {
    this.#reader = openSync(this.#path, O_RDONLY | O_NONBLOCK);
  }

  /** Reads the available bytes, and returns all that was read so far. */
  read(): string {
    while (this.#readOnce()) {}
    return this.#text;
  }

  /** Reads until all that was read matches, and returns it. */
  async until(pattern: RegExp): Promise<string> {
    const signal = AbortSignal.timeout(60_000);
    while (!pattern.test(this.#text)) {
      if (!this.#readOnce()) await sleep(1, undefined, { signal });
    }
    return this.#text;
  }

  /** Whether there was anything to read. */
  #readOnce(): boolean {
    try {
      const count = this.#reader === undefined ? 0 : readSync(this.#reader, this.#buffer);
      this.#text += this.#buffer.toString("latin1", 0, count);
      return count > 0;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EAGAIN") return false;
      throw error;
    }
  }
}
