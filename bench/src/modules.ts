import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { pinned } from "./cores.ts";
import type { Options } from "./options.ts";
import { buildPackages } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { type Spread, spreadOf } from "./statistics.ts";

export function measureModules({ rounds, tenon }: Pick<Options, "rounds" | "tenon">): Spread {
  if (tenon === "dist") buildPackages();
  const progress = new Progress(rounds);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    progress.show("1,000 modules", `round ${round + 1}`);
    times.push(startModules(tenon));
    progress.step();
  }
  progress.end();
  return spreadOf(times);
}

/** Milliseconds, in its own process, because an application starts once. */
export function startModules(tenon: Options["tenon"]): number {
  const script = fileURLToPath(new URL("./modules-child.ts", import.meta.url));
  const condition = tenon === "source" ? ["--conditions=@tenon/source"] : [];
  const [command, ...args] = pinned("server", [process.execPath, ...condition, script]);
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`the modules did not start:\n${stdout}${stderr}`);
  return JSON.parse(stdout).time;
}

export function toModulesText({ median, low, high }: Spread): string {
  return `1,000 modules start in ${median.toFixed(0)} ms (${low.toFixed(0)}–${high.toFixed(0)})`;
}
