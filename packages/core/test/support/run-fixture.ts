import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface FixtureResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a file of test/fixtures in a process of its own, straight from the source, without what a shell has set for applications. */
export function spawnFixture(name: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const {
    LOG_LEVEL: _,
    NODE_ENV: __,
    NODE_OPTIONS: ___,
    NO_COLOR: ____,
    FORCE_COLOR: _____,
    ...inherited
  } = process.env;
  const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  // the warning: early versions of Node 24 print it for every file they strip of its types
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@tenon/source"];
  const env = { ...inherited, ...options.env };
  return spawn(process.execPath, [...flags, file, ...args], { timeout: 240_000, ...options, env });
}

/** Runs a fixture and waits for its end. */
export async function runFixture(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<FixtureResult> {
  const child = spawnFixture(name, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const read = async (stream: NodeJS.ReadableStream | null) => (stream === null ? "" : text(stream));
  const [[code], stdout, stderr] = await Promise.all([once(child, "close"), read(child.stdout), read(child.stderr)]);
  return { code: (code as number | null) ?? -1, stdout, stderr }; // -1: ended by a signal
}
