import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** A Node of the machine that is too old for Tenon, outside of any node_modules: it lacks newer syntax and modules. */
export function findOldNode(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return folders.map((folder) => join(folder, "node")).find((file) => majorOf(file) < 24);
}

/** NaN where there is no such program. */
function majorOf(file: string): number {
  return Number(/^v(\d+)/.exec(spawnSync(file, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]);
}
