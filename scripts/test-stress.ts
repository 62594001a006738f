// `npm test` again and again, each time with another disturbance that a user's machine has.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Random } from "../packages/core/test/support/random.ts";
import { type Disturbance, disturbances, type Environment } from "./test/disturbances.ts";
import { endAll, findDescendants } from "./test/processes.ts";

const help = `Runs npm test again and again, each time with the next of ${disturbances.length} disturbances. Exit code 1 when a run failed.

  npm run test:stress -- [runs] [options]

  runs             defaults to ${disturbances.length}: each disturbance once
  --only pauses    only the disturbances whose name contains this
  --seed 123       repeats the random pauses; each run of them prints its seed
  --minutes 20     how long one run may take
  --list           the disturbances
  --help`;

interface Outcome {
  readonly name: string;
  readonly result: "passed" | "failed" | "left out";
  readonly seconds: number;
  readonly failures: readonly string[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    seed: { type: "string" },
    minutes: { type: "string", default: "20" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const chosen = disturbances.filter(({ name }) => name.includes(values.only));
const runs = Number(positionals[0] ?? chosen.length);
const longest = Number(values.minutes) * 60_000;
const seed = values.seed === undefined ? undefined : Number(values.seed);

if (values.help) console.log(help);
else if (values.list) for (const { name } of disturbances) console.log(name);
else if (chosen.length === 0 || !(runs > 0) || !(longest > 0) || positionals.length > 1) {
  console.error(help);
  process.exitCode = 2;
} else process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const outcomes: Outcome[] = [];
  const output = mkdtempSync(join(tmpdir(), "tenon-stress-"));
  for (let index = 0; index < runs; index++) {
    const disturbance = chosen[index % chosen.length] as Disturbance; // of a list that is not empty
    outcomes.push(await runOne(disturbance, index, join(output, `${index + 1}.log`)));
  }
  const rows = outcomes.map(({ name, result, seconds, failures }, index) => {
    const cells = [index + 1, name, result, seconds, failures.join("; ")];
    return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  });
  console.log(`\n| run | disturbance | result | seconds | failures |\n|---|---|---|---|---|\n${rows.join("\n")}\n`);
  const count = (result: Outcome["result"]) => outcomes.filter((one) => one.result === result).length;
  console.log(`${count("passed")} of ${runs} passed, ${count("failed")} failed, ${count("left out")} left out`);
  return count("failed") === 0 ? 0 : 1;
}

async function runOne(disturbance: Disturbance, index: number, file: string): Promise<Outcome> {
  const random = new Random(seed);
  const name = disturbance.isRandom === true ? `${disturbance.name} (seed ${random.seed})` : disturbance.name;
  const started = performance.now();
  const toOutcome = (result: Outcome["result"], failures: readonly string[]): Outcome => {
    const seconds = Math.round((performance.now() - started) / 1000);
    const mark = { passed: "✔", failed: "✖", "left out": "–" }[result];
    const details = failures.length === 0 ? "" : `: ${failures.join("; ")}`;
    console.log(`${mark} ${index + 1} of ${runs}, ${name}: ${result}, ${seconds} s${details}`);
    if (result === "failed") console.log(`  its output: ${file}`);
    return { name, result, seconds, failures };
  };
  const missing = disturbance.missing?.();
  if (missing !== undefined) return toOutcome("left out", [missing]);

  const round = Math.floor(index / chosen.length);
  const setting = await disturbance.prepare({ random, round });
  const { command = ["npm", "test"], cwd = process.cwd() } = setting;
  const [program = "", ...args] = command;
  const env = { ...ownEnvironment(), ...setting.env };
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const stop = () => endAll(findDescendants(child.pid));
  const interrupt = () => {
    stop();
    process.exit(1); // the disturbance itself ends with this process
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  const ended = new AbortController();
  const disturbing = setting.disturb?.(child.pid, ended.signal);
  try {
    const { code, text } = await readToEnd(child, stop);
    writeFileSync(file, text);
    const names = readFailures(text);
    if (code !== 0 && names.length === 0)
      names.push(code === "late" ? `longer than ${values.minutes} minutes` : `exit code ${code}`);
    return toOutcome(code === 0 ? "passed" : "failed", names);
  } finally {
    ended.abort();
    await disturbing;
    stop();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
    await setting.close?.();
  }
}

/** The output of a child, and its exit code, signal, or "late". */
async function readToEnd(child: ChildProcess, stop: () => void): Promise<{ code: string | number; text: string }> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, longest);
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null]; // as documented
  clearTimeout(timer);
  // a process that a test has left may hold the streams
  if (child.stdout?.closed !== true) await Promise.race([once(child, "close"), sleep(2000)]);
  return { code: isLate ? "late" : (code ?? signal ?? "unknown"), text };
}

/** The environment of this process without what npm has added to it: that of a shell. */
function ownEnvironment(): Environment {
  const added = (name: string) => /^npm_|^(?:INIT_CWD|NODE|FORCE_COLOR)$/.test(name);
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !added(name)));
  const folders = (process.env.PATH ?? "").split(delimiter);
  const isAdded = (folder: string) => /node_modules[\\/](?:\.bin|npm[\\/]node_modules)/.test(folder);
  return { ...kept, PATH: folders.filter((folder) => !isAdded(folder)).join(delimiter) };
}

/** The names in the list of failures at the end, or those that were printed before the end of a run that was cut. */
function readFailures(text: string): string[] {
  const end = text.lastIndexOf("\n✖ failing tests:"); // not that of a run inside of a test, which is indented
  const lines = text.slice(Math.max(0, end)).matchAll(/^✖ (.+)$/gm);
  return [...new Set([...lines].map(([, name = ""]) => name))].filter((name) => name !== "failing tests:");
}
