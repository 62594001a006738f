import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError } from "@tenon/core";

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
      const code = await this.install(folder, signal);
      if (code !== 0) {
        throw new HttpError(
          500,
          `the files were created, but npm install failed with exit code ${code}: run it again in ${folder}`,
        );
      }
    }
    const left = steps.filter((step) => !isInstalled || step !== "npm install");
    yield `\n${summary} Next:\n${left.map((step) => `  ${step}\n`).join("")}`;
  }

  /** Installs with another text of package.json. When that fails, the file and its lock file are what they were. */
  async installWith(folder: string, manifest: string, signal: AbortSignal): Promise<void> {
    const restore = ["package.json", "package-lock.json"].map((name) => keep(join(folder, name)));
    let isInstalled = false;
    try {
      writeFileSync(join(folder, "package.json"), manifest);
      const code = await this.install(folder, signal);
      if (code !== 0) throw new HttpError(500, `npm install failed with exit code ${code}: nothing was changed`);
      isInstalled = true;
    } finally {
      if (!isInstalled) for (const step of restore) step();
    }
  }

  /** Runs npm install and returns its exit code. Its output goes to standard error, because it is not part of the result. */
  async install(folder: string, signal: AbortSignal): Promise<number> {
    const child = spawn("npm", ["install"], {
      cwd: folder,
      signal,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32", // npm is a script on Windows
    });
    const [code] = await once(child, "close");
    return code;
  }
}

/** Returns a function that gives a file its present text again, or removes one that did not exist. */
function keep(path: string): () => void {
  const text = existsSync(path) ? readFileSync(path) : undefined;
  return () => (text === undefined ? rmSync(path, { force: true }) : writeFileSync(path, text));
}
