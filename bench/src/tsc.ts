import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder that tsc can check with the settings of the workspace. */
export function writeProject(folder: string, files: Readonly<Record<string, string>>, options: object = {}): void {
  const compilerOptions = { noEmit: true, typeRoots: [join(root, "node_modules/@types")], ...options };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] };
  mkdirSync(folder);
  for (const [name, text] of Object.entries({
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify(config),
    ...files,
  })) {
    writeFileSync(join(folder, name), text);
  }
}

export interface Compiled {
  /** Seconds. */
  readonly time: number;
  /** Seconds of processor time, of all its threads; not a number where the system does not tell. */
  readonly processor: number;
  readonly instantiations: number;
}

export function compile(folder: string): Compiled {
  const tsc = join(root, "node_modules/.bin/tsc");
  const before = processorOfChildren();
  const begun = performance.now();
  // one checker, because several would each count their own instantiations
  const args = ["-p", folder, "--extendedDiagnostics", "--checkers", "1"];
  const { status, stdout, stderr } = spawnSync(tsc, args, { encoding: "utf8", timeout: 120_000 });
  const time = (performance.now() - begun) / 1000;
  const processor = processorOfChildren() - before;
  const instantiations = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1];
  if (status !== 0 || instantiations === undefined) throw new Error(`tsc failed:\n${stdout}${stderr}`);
  return { time, processor, instantiations: Number(instantiations) };
}

/** Seconds of the processes that have ended, from the fields cutime and cstime of proc(5), in hundredths. */
function processorOfChildren(): number {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return Number.NaN;
  }
}
