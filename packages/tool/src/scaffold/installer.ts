import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Finish {
  /** A line for each change that was made. */
  readonly lines: readonly string[];
  readonly summary: string;
  /** What to do next. With `npm install` among them, it is run unless `install` is false. */
  readonly steps: readonly string[];
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

export class Installer {
  /** The lines that a generator prints after its changes. */
  async *finish({ lines, summary, steps, folder, install, signal }: Finish): AsyncGenerator<string> {
    yield* lines;
    const isInstalled = install && steps.includes("npm install");
    if (isInstalled) {
      yield "running  npm install\n";
      await this.install(folder, signal);
    }
    const left = steps.filter((step) => !isInstalled || step !== "npm install");
    yield `\n${summary} Next:\n${left.map((step) => `  ${step}\n`).join("")}`;
  }

  /** Runs npm install. Its output goes to standard error, because it is not part of the result. */
  async install(folder: string, signal: AbortSignal): Promise<void> {
    const child = spawn("npm", ["install"], {
      cwd: folder,
      signal,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32", // npm is a script on Windows
    });
    const [code] = await once(child, "close");
    if (code !== 0)
      throw new Error(
        `the files were created, but npm install failed with exit code ${code}: run it again in ${folder}`,
      );
  }
}
