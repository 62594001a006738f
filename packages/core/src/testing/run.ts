import { Readable, Writable } from "node:stream";
import type { CliMethods } from "../cli/cli-methods.ts";

export interface TestRunOptions {
  /** What the command reads from standard input: nothing unless told otherwise. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface TestRunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command on streams in memory. */
export async function runInMemory(
  app: Pick<CliMethods, "execute">,
  argv: readonly string[],
  { stdin = "", signal }: TestRunOptions = {},
): Promise<TestRunResult> {
  const stdout = new Collector();
  const stderr = new Collector();
  const code = await app.execute(argv, {
    stdin: Readable.from([Buffer.from(stdin as string)]), // text or bytes, and the overloads of from() take one of them each
    stdout,
    stderr,
    ...(signal === undefined ? {} : { signal }),
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  readonly #chunks: Uint8Array[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}
