import { Readable, Writable } from "node:stream";
import type { Routes } from "@tenon/core";
import type { CommandStreams } from "@tenon/core/cli";
import { type CliOptions, cli } from "@tenon/core/cli";
import { createTestApp, type TestCliApp } from "@tenon/core/testing";
import { moduleOf } from "./transports.ts";

/** A stream that keeps what is written to it; a terminal when it has columns. */
export class MemoryStream extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  text = "";

  constructor(columns?: number) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 0;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    this.text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    done();
  }
}

/** Streams in memory, both outputs of them terminals when columns are given. */
export function memoryStreams(columns?: number): CommandStreams & { stdout: MemoryStream; stderr: MemoryStream } {
  return { stdin: Readable.from([]), stdout: new MemoryStream(columns), stderr: new MemoryStream(columns) };
}

/** A started application with these commands. */
export async function withCommands(
  routes: Routes,
  body: (app: TestCliApp) => Promise<void>,
  options: Partial<CliOptions> = {},
): Promise<void> {
  const app = await createTestApp(moduleOf(routes), cli({ name: "blog", ...options }), { log: { level: "silent" } });
  try {
    await body(app);
  } finally {
    await app.stop();
  }
}
