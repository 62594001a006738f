import { readdirSync, readlinkSync } from "node:fs";

/** The files below a directory that this process holds open. */
export function openFilesBelow(directory: string): string[] {
  const links = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ""; // the descriptor with which the list itself was read
    }
  });
  return links.filter((link) => link.startsWith(directory));
}
