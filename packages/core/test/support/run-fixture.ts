import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface FixtureResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a file of test/fixtures in a process of its own, straight from the source, and waits for its end. */
export function runFixture(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<FixtureResult> {
  const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  const {
    LOG_LEVEL: _,
    NODE_ENV: __,
    NODE_OPTIONS: ___,
    NO_COLOR: ____,
    FORCE_COLOR: _____,
    ...inherited
  } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      // the warning: early versions of Node 24 print it for every file they strip of its types
      ["--disable-warning=ExperimentalWarning", "--conditions=@tenon/source", file, ...args],
      { env: { ...inherited, ...env }, cwd, timeout: 240_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1; // -1: ended by a signal
        resolve({ code, stdout, stderr });
      },
    );
  });
}
