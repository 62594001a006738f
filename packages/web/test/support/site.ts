import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** When every file of a site was last changed. */
export const modified = new Date("2024-05-06T07:08:09.500Z");

export interface Site {
  /** What is served; beside it lie files that must never be. */
  readonly root: string;
  readonly remove: () => void;
}

/** Real files in a directory of their own, some of them traps. */
export function createSite(files: Readonly<Record<string, string | Uint8Array>>): Site {
  const folder = mkdtempSync(join(tmpdir(), "tenon-site-"));
  const root = join(folder, "public");
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, modified, modified);
  };
  for (const [name, content] of Object.entries(files)) write(join(root, name), content);
  write(join(folder, "secret.txt"), "secret");
  write(join(folder, "public-old", "secret.txt"), "secret");
  write(join(root, ".env"), "secret");
  write(join(root, ".git", "config"), "secret");
  write(join(root, "..\\secret.txt"), "secret");
  write(join(root, "back\\slash.txt"), "secret");
  write(join(root, "folder", "inside.txt"), "inside");
  symlinkSync(join(folder, "secret.txt"), join(root, "out.txt"));
  symlinkSync(join(folder, "public-old"), join(root, "old"));
  symlinkSync(join(root, "folder", "inside.txt"), join(root, "link.txt"));
  symlinkSync("loop.txt", join(root, "loop.txt"));
  execFileSync("mkfifo", [join(root, "pipe.txt")]);
  return { root, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
