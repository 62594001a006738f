import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Started {
  readonly folder: string;
  /** The arguments of Node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Finds the URL in the output, as its first group. Defaults to the log line of a start. */
  readonly ready?: RegExp;
  /** The exit code after SIGTERM. Defaults to 0; that of a command is 143. */
  readonly exitCode?: number;
  /** Milliseconds after which it is killed. Defaults to four minutes. */
  readonly timeout?: number;
}

export interface Listening {
  readonly url: string;
  /** What was printed until it listened. */
  readonly output: string;
  /** Sends SIGTERM and checks the exit code. */
  stop(): Promise<void>;
}

/** Starts an application from its source and waits until it listens. */
export async function startListening({
  folder,
  args,
  env = {},
  ready,
  exitCode = 0,
  timeout,
}: Started): Promise<Listening> {
  // an application in a test prints no banner, and this one is used as a person would
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ["--conditions=@tenon/source", ...args], {
    cwd: folder,
    env: { ...inherited, LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeout ?? 240_000,
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [exitCode, null], `the end of ${args.join(" ")}`);
  };
  let output = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    output += text;
    const url = (ready ?? /listening on (http:\/\/[\d.:]+)(?=[^\d.:])/).exec(output)?.[1];
    if (url === undefined) continue;
    child.stdout.resume(); // later log lines must not fill the pipe
    return { url, output, stop };
  }
  return assert.fail(`${args.join(" ")} ended without listening:\n${output}`);
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
