import { spawn } from "node:child_process";

/** Runs npm. What it says goes to standard error, like everything that is no result. */
export class Installer {
  async install(folder: string, signal: AbortSignal): Promise<void> {
    const child = spawn("npm", ["install"], {
      cwd: folder,
      signal,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32", // npm is a script there
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0)
      throw new Error(`the files are there, but npm install ended with ${code}: run it again in ${folder}`);
  }
}
