import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { works } from "../needs.ts";
import type { Part } from "../part.ts";
import { type Output, runWithBrokenOutput } from "../support/output-load.ts";

const size = 8 * 1024 * 1024;

export const part: Part = {
  id: "O1",
  title: "standard output on a full disk, under load",
  bar: "0 wrong responses; a post gets 201 exactly when its row exists; exit 0 within 3 s of SIGTERM; dropped lines reported when there is room",
  needs: [],
  run: (options) => runWithBrokenOutput(openDisk, options),
};

function openDisk(folder: string): Output {
  const place = join(folder, "disk");
  mkdirSync(place);
  return works("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", place) ? mounted(place) : alwaysFull();
}

/** A tmpfs that only the service sees; root reads it through the process. */
function mounted(place: string): Output {
  const inside = ({ pid }: ServerProcess, name: string) => `/proc/${pid}/root${place}/${name}`;
  const script = `mount -t tmpfs -o size=${size} tmpfs ${place} && exec "$@" > ${place}/log`;
  return {
    how: `tmpfs of ${size / 2 ** 20} MB`,
    under: ["unshare", "-m", "sh", "-c", script, "sh"],
    break(server) {
      for (let bytes = size; bytes > 4096; bytes = Math.floor(bytes / 2)) {
        try {
          writeFileSync(inside(server, "ballast"), "x".repeat(bytes), { flag: "a" });
        } catch {
          // as much as fits was written
        }
      }
    },
    repair: (server) => rmSync(inside(server, "ballast")),
    read: (server) => readFileSync(inside(server, "log"), "utf8"),
    close: () => {},
  };
}

/** Where mounting is not allowed. */
function alwaysFull(): Output {
  const stdout = openSync("/dev/full", "w");
  return {
    how: "/dev/full, because nothing may be mounted here",
    stdout,
    break: () => {},
    read: () => "",
    close: () => closeSync(stdout),
  };
}
