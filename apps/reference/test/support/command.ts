import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "./processes.ts";

const entryPoint = fileURLToPath(new URL("../../src/main.cli.ts", import.meta.url));

/** Runs the command line as a process, with a folder for its store. */
export function runEntryPoint() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-"));
  const run = (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--conditions=@tenon/source", entryPoint, ...argv],
      {
        encoding: "utf8",
        timeout: 240_000,
        env: { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCache, ...env },
      },
    );
    return { code: status, stdout, stderr };
  };
  return { folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
