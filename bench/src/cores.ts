import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The first two cores this process may use: one for the server, one for the load. */
function findCores(): { readonly server: number; readonly load: number } | undefined {
  if (spawnSync("taskset", ["--version"]).status !== 0) return undefined;
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const [server, load] = list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return server === undefined || load === undefined ? undefined : { server, load };
}

const cores = findCores();

/** False where server and load share cores: ratios vary more then. */
export const isPinned = cores !== undefined;

export function pinned(role: "server" | "load", command: readonly [string, ...string[]]): [string, ...string[]] {
  if (cores === undefined) return [...command];
  return ["taskset", "-c", String(cores[role]), ...command];
}
