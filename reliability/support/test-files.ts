import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Figures, type PartOptions } from "../part.ts";

export interface TestRun {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** The figures that the tests recorded with `noteFigures`, in order. */
  readonly figures: readonly Readonly<Record<string, number | string>>[];
  readonly seconds: number;
  /** The end of the output, to explain a failure. */
  readonly output: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs test files of the workspace, in their long form unless the run is short. */
export async function runTestFiles(
  files: readonly string[],
  options: Pick<PartOptions, "short" | "seed" | "say">,
  name?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-figures-"));
  const figuresFile = join(folder, "figures");
  const flags = [...(options.short ? [] : ["--full"]), ...(name === undefined ? [] : [`--name=${name}`])];
  const seed = options.seed === undefined ? {} : { TENON_SEED: String(options.seed) };
  const started = performance.now();
  const child = spawn(process.execPath, ["scripts/test.mjs", ...flags, ...files], {
    cwd: root,
    env: { ...process.env, ...seed, ...env, TENON_FIGURES: figuresFile },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const take = (text: string) => {
    output += text;
    const last = text.trim().split("\n").at(-1);
    if (last !== undefined && last !== "") options.say(last.slice(0, 100));
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  const code = await new Promise<number>((resolve) => {
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  const seconds = (performance.now() - started) / 1000;
  const named = (mark: string) => [
    ...new Set(
      [...output.matchAll(new RegExp(`^ *${mark} (.*) \\([0-9.]+ms\\)`, "gm"))].map((match) => match[1] ?? ""),
    ),
  ];
  const figures = existsSync(figuresFile) ? readFileSync(figuresFile, "utf8").trim().split("\n") : [];
  rmSync(folder, { recursive: true });
  const failed = named("✖");
  return {
    passed: named("✔"),
    failed: failed.length === 0 && code !== 0 ? [`the run ended with ${code}`] : failed,
    figures: figures.map((line) => JSON.parse(line) as Record<string, number | string>), // as noteFigures wrote it
    seconds,
    output: output.slice(-3000),
  };
}

/** The sum of a figure over all tests that recorded it. */
export function sumOf(run: TestRun, name: string): number {
  return run.figures.reduce((sum, figures) => sum + Number(figures[name] ?? 0), 0);
}

/** Runs test files in their long form as a part: their tests must pass, and `add` adds the figures they recorded. */
export async function judgeTests(
  files: readonly string[],
  options: PartOptions,
  add: (figures: Figures, run: TestRun) => void,
  name?: string,
  env?: Readonly<Record<string, string>>,
): Promise<Figures> {
  const run = await runTestFiles(files, options, name, env);
  const figures = new Figures();
  add(figures, run);
  figures.show("tests", run.passed.length).exactly("failed", run.failed.length, 0);
  if (run.failed.length > 0) figures.note(`${run.failed.join(", ")}: ${run.output.slice(-600)}`);
  return figures.holds("tests ran", run.passed.length > 0);
}
