import { readdirSync, readlinkSync } from "node:fs";

/** The files below a directory that this process holds open. */
export function openFilesBelow(directory: string): string[] {
  return openFilesOf("self").filter((link) => link.startsWith(directory));
}

export function openSocketsOf(pid: number): string[] {
  return openFilesOf(String(pid)).filter((link) => link.startsWith("socket:"));
}

function openFilesOf(pid: string): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ""; // closed meanwhile, as the one with which the list itself was read
    }
  });
}
