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

export interface Listening {
  readonly url: string;
  /** Sends SIGTERM. The application has to end with code 0. */
  stop(): Promise<void>;
}

/** Starts an application from its source and waits until it listens. */
export async function startListening({ folder, args, env = {} }: Started): Promise<Listening> {
  const child = spawn(process.execPath, ["--conditions=@tenon/source", ...args], {
    cwd: folder,
    env: { ...process.env, LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 60_000,
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume(); // later log lines must not fill the pipe
    return { url, stop };
  }
  return assert.fail(`${args.join(" ")} ended without listening`);
}

/** Runs an application until the work is done. */
export async function whileListening(started: Started, work: (url: string) => Promise<void>): Promise<void> {
  const { url, stop } = await startListening(started);
  try {
    await work(url);
  } finally {
    await stop();
  }
}
