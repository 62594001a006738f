import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the workspace. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether `env` is the whole environment. Defaults to false: it is added to that of this process. */
  readonly only?: boolean;
  /** In milliseconds. Defaults to four minutes, less than the runner waits. */
  readonly timeout?: number;
}

/** Runs a program until it exits, without the Node options, the log level and the test context of this process. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { NODE_OPTIONS: _, LOG_LEVEL: __, NODE_TEST_CONTEXT: ___, ...inherited } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...(options.only === true ? {} : inherited), ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeout ?? 240_000,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Like `run`, for programs that must succeed. */
export async function runOrFail(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** A program that the workspace has installed. */
export function tool(name: string): string {
  return `${root}node_modules/.bin/${name}`;
}

/** For tsc: several checkers would each repeat a third of the work, and the tests keep all cores busy. */
export const oneChecker = ["--checkers", "1"];

/** The packages that a command of npm would install in a folder: `--dry-run` reads the lock file and fetches nothing. */
export async function plannedByNpm(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")); // of the npm that runs the tests
  const settings = { npm_config_userconfig: join(cwd, "none"), npm_config_offline: "true" };
  const all = { ...Object.fromEntries(own), ...settings, ...env } as Record<string, string>; // its values are set
  const output = await runOrFail("npm", [...args, "--dry-run"], { cwd, env: all, only: true });
  return [...output.matchAll(/^add (\S+) /gm)].map(([, name = ""]) => name);
}
