import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bench = fileURLToPath(new URL("../", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A temporary folder for one run, deleted when the run ends, however it ends. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function checkInstalled(): void {
  if (
    ["fastify", "@fastify/under-pressure", "pg-boss", "socket.io"].every((name) =>
      existsSync(join(bench, "node_modules", name)),
    )
  )
    return;
  throw new Error("the peers are not installed: run npm --prefix bench ci");
}

/** NestJS is written with decorators, which need a compiler. */
export function compileNest(): void {
  runOrThrow("tsc", ["-p", join(bench, "peers", "nest")]);
}

/** Builds the packages as they are published, which is what users run. */
export function buildPackages(): void {
  runOrThrow(process.execPath, [join(root, "scripts", "build.mjs")]);
}

export function fillDatabase(folder: string): string {
  const file = join(folder, "blog.db");
  fillWithPosts(`sqlite:${file}`);
  return file;
}

/** The tables of the reference service and a thousand posts, in an empty database. */
export function fillWithPosts(url: string): void {
  runOrThrow(process.execPath, ["--conditions=@tenon/source", join(bench, "src", "fill-database.ts"), url]);
}

function runOrThrow(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: "utf8", timeout: 120_000 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stdout + stderr}`);
}
