import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const bunFile = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url));

/** undefined where Bun does not run: npm has no binary for the machine, or its install script did not run. */
export const bunVersion = findVersion();

function findVersion(): string | undefined {
  const { status, stdout } = spawnSync(bunFile, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
