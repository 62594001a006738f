import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Started {
  readonly folder: string;
  /** The arguments of Node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs an application until the work is done. It has to stop on SIGTERM with code 0. */
export async function whileListening(
  { folder, args, env = {} }: Started,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=@tenon/source", ...args], {
    cwd: folder,
    env: { ...process.env, LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 60_000,
  });
  const ended = once(child, "exit");
  try {
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    assert.ok(url !== undefined, "the application ended without listening");
    child.stdout.resume(); // later log lines must not fill the pipe
    await work(url);
  } finally {
    child.kill("SIGTERM");
  }
  assert.deepEqual(await ended, [0, null]);
}
