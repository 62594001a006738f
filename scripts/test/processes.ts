import { existsSync, readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Whether a signal has stopped it. */
  readonly isStopped: boolean;
}

/** Whether processes can be found: only Linux has /proc. */
export const canFindProcesses = existsSync("/proc/self/stat");

function readProcesses(): Process[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // after the program's name, which may hold anything: state, parent, process group
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group), isStopped: state === "T" }];
    } catch {
      return []; // it has ended
    }
  });
}

/**
 * The pids of a process that leads a group, of its descendants, and of the rest of their groups: a process whose parent
 * has ended keeps its group only.
 */
export function findDescendants(root: number | undefined): number[] {
  if (root === undefined) return [];
  if (!canFindProcesses) return [root];
  const processes = readProcesses();
  const found = new Set<number>([root]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { pid, parent, group } of processes) if (found.has(parent) || found.has(group)) found.add(pid);
  }
  return [...found].filter((pid) => processes.some((one) => one.pid === pid));
}

export function findStopped(): ReadonlySet<number> {
  return new Set(readProcesses().flatMap(({ pid, isStopped }) => (isStopped ? [pid] : [])));
}

export function endAll(pids: readonly number[]): void {
  for (const pid of pids) signal(pid, "SIGKILL");
}

/** Whether the process was still there. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
