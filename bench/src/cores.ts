import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Cores {
  readonly server: number;
  readonly load: number;
  /** The others, without that of the load. */
  readonly unloaded: readonly number[];
}

/** The first two cores this process may use: one for the server, one for the load. */
function findCores(): Cores | undefined {
  if (spawnSync("taskset", ["--version"]).status !== 0) return undefined;
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const all = list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const [server, load] = all;
  if (server === undefined || load === undefined) return undefined;
  return { server, load, unloaded: all.filter((core) => core !== load) };
}

const cores = findCores();

/** False where server and load share cores: ratios vary more then. */
export const isPinned = cores !== undefined;

export function pinned(role: "server" | "load", command: readonly [string, ...string[]]): [string, ...string[]] {
  if (cores === undefined) return [...command];
  return ["taskset", "-c", String(cores[role]), ...command];
}

/** Keeps processes off the core of the load. False where that is not possible. */
export function keepFromLoad(pids: readonly number[]): boolean {
  if (cores === undefined) return false;
  const list = cores.unloaded.join(",");
  return pids.every((pid) => spawnSync("taskset", ["-acp", list, String(pid)]).status === 0);
}
