import { spawn } from "node:child_process";

/** Runs npm install. Its output goes to standard error, because it is not part of the result. */
export class Installer {
  async install(folder: string, signal: AbortSignal): Promise<void> {
    const child = spawn("npm", ["install"], {
      cwd: folder,
      signal,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32", // npm is a script on Windows
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0)
      throw new Error(
        `the files were created, but npm install failed with exit code ${code}: run it again in ${folder}`,
      );
  }
}
