import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

function pathOf(fixture: string): string {
  return fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url));
}

const execArgv = ["--conditions=@tenon/source"];

/** Starts a fixture and waits for its first message. */
export async function startProcess(fixture: string, args: readonly string[]): Promise<ChildProcess> {
  const { child } = await startAndHear(fixture, args);
  return child;
}

/** The same, and returns the message. */
export async function startAndHear<T>(
  fixture: string,
  args: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly message: T }> {
  const child = fork(pathOf(fixture), [...args], { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [message] = await once(child, "message");
  return { child, message: message as T }; // the fixture's own protocol
}

/** Sends a message and returns the reply. */
export async function ask<T>(child: ChildProcess, message: object): Promise<T> {
  const reply = once(child, "message");
  child.send(message);
  return (await reply)[0] as T; // the fixture's own protocol
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, "exit");
  if (child.connected) child.disconnect();
  await exit;
}

export interface RunOptions {
  /** A fixture that is loaded first. */
  readonly preload?: string;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
}

/** Runs a fixture until it exits. */
export function runProcess(fixture: string, args: readonly string[], options: RunOptions = {}) {
  const { preload, nodeOptions = [] } = options;
  const imports = preload === undefined ? [] : ["--import", pathOf(preload)];
  return spawnSync(process.execPath, [...execArgv, ...nodeOptions, ...imports, pathOf(fixture), ...args], {
    encoding: "utf8",
    timeout: 240_000,
    env: { ...process.env, LOG_LEVEL: "warn" },
  });
}
