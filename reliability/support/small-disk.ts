import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { works } from "../needs.ts";

interface WithPid {
  readonly pid: number;
}

/** A disk that can be filled and freed while a process uses it. */
export interface SmallDisk {
  readonly how: string;
  /** Runs the process that uses the disk. */
  readonly under: readonly string[];
  fill(user: WithPid): void;
  free(user: WithPid): void;
  /** Where the files can be read from other processes. */
  folder(user: WithPid): string;
}

/** At this folder, which exists. `file` is the name of the database in it. */
export function createSmallDisk(place: string, file: string, size: number): SmallDisk {
  const mayMount = works("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", place);
  return mayMount ? mounted(place, size) : limited(place, file);
}

/** A tmpfs that only the process sees; root reads it through the process. */
function mounted(place: string, size: number): SmallDisk {
  const folder = ({ pid }: WithPid) => `/proc/${pid}/root${place}`;
  const script = `mount -t tmpfs -o size=${size} tmpfs ${place} && exec "$@"`;
  return {
    how: `tmpfs of ${size / 2 ** 20} MB`,
    under: ["unshare", "-m", "sh", "-c", script, "sh"],
    folder,
    fill(user) {
      for (let bytes = size; bytes > 4096; bytes = Math.floor(bytes / 2)) {
        try {
          writeFileSync(join(folder(user), "ballast"), "x".repeat(bytes), { flag: "a" });
        } catch {
          // as much as fits was written
        }
      }
    },
    free: (user) => rmSync(join(folder(user), "ballast")),
  };
}

/** Where mounting is not allowed: a limit on file sizes, which SQLite sees as a failed write. */
function limited(place: string, file: string): SmallDisk {
  const limit = (pid: number, bytes: string) => spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}`]);
  return {
    how: "a limit on the size of files, because nothing may be mounted here",
    under: [],
    folder: () => place,
    fill: ({ pid }) => limit(pid, `${readFileSync(join(place, `${file}-wal`)).byteLength + 8192}:unlimited`),
    free: ({ pid }) => limit(pid, "unlimited:unlimited"),
  };
}
