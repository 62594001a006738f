// Builds every package from scratch: tsc alone would leave the output of deleted files in dist, to be published.
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const packages = globSync("packages/*/tsconfig.json").map(dirname).sort();
for (const folder of packages) rmSync(join(folder, "dist"), { recursive: true, force: true });
const { status, error } = spawnSync("tsc", ["-b", ...packages], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (error !== undefined) console.error(`tsc did not start: ${error.message}; run npm run build`);
process.exit(status ?? 1);
