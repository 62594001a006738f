// Runs the parts of the plan, each in its own process, and prints their figures.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runChild } from "./child.ts";
import { isRequired, missing } from "./needs.ts";
import type { Part, PartOptions, PartResult } from "./part.ts";
import { loadParts } from "./parts.ts";
import { type Outcome, summarize, toReport, toTable } from "./report.ts";
import { Screen } from "./screen.ts";

const help = `Runs the parts of the test plan and prints the figure of each. Exit code 1 when one is missed.

  npm run test:full -- [options]

  --only W2,D1       only these parts
  --short            the shortened form: minutes instead of a quarter of an hour; times are shown and not judged
  --seed 123         repeats a random run; each prints its seed
  --soak             the soak (L5) too, after all others
  --minutes 60       how long the soak takes; its slopes are judged from 30 minutes on
  --report <file>    writes the figures as Markdown; of an existing report, parts that did not run keep their lines.
                     The committed one has the soak in it:
                     npm run test:full -- --soak --minutes 30 --report docs/reliability-report.md
  --list             the parts and their bars
  --help`;

/** Minutes after which a part is ended. */
const longest = { short: 5, full: 15 };
const lanes = 2;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    short: { type: "boolean", default: false },
    seed: { type: "string" },
    soak: { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
    report: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const options = {
  short: values.short,
  seed: values.seed === undefined ? undefined : Number(values.seed),
  minutes: Number(values.minutes),
} satisfies Omit<PartOptions, "say">;
// the parts and the services they start find their code compiled; the full form judges how long a start takes without
if (options.short)
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url));

const all = await loadParts();
const only = values.only?.split(",").map((id) => id.trim().toUpperCase());
const unknown = only?.filter((id) => !all.some((part) => part.id === id)) ?? [];
const isDue = (part: Part) => (part.onDemand !== true || values.soak) && !(options.short && part.fullOnly === true);
const parts = all.filter((part) => only?.includes(part.id) ?? isDue(part));

if (values.help) console.log(help);
else if (values.list) for (const { id, title, bar } of all) console.log(`${id.padEnd(3)} ${title}: ${bar}`);
else if (unknown.length > 0) {
  console.error(`unknown part: ${unknown.join(", ")}. Parts: ${all.map(({ id }) => id).join(", ")}`);
  process.exitCode = 2;
} else process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const screen = new Screen();
  const outcomes = new Map<string, Outcome>();
  const started = performance.now();
  const runOne = async (part: Part) => {
    if (outcomes.has(part.id)) return; // it has run with another one
    for (const outcome of await perform(part, screen)) {
      outcomes.set(outcome.part.id, outcome);
      screen.done(outcome.part.id, summarize(outcome));
    }
  };
  const isAlone = ({ alone }: Part) => (options.short ? alone === "always" : alone !== undefined);
  const together = parts.filter((part) => !isAlone(part));
  const next = together.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const part of next) await runOne(part);
    }),
  );
  const alone = parts.filter(isAlone);
  for (const part of alone) if (part.onDemand !== true) await runOne(part);
  for (const part of alone) if (part.onDemand === true) await runOne(part);

  const inOrder = parts.map((part) => outcomes.get(part.id) as Outcome); // each has just been run
  const seconds = (performance.now() - started) / 1000;
  console.log(`\n${toTable(inOrder)}\n`);
  const missed = inOrder.filter(({ state }) => state === "missed");
  const left = inOrder.filter(({ state }) => state === "left out");
  const met = inOrder.length - missed.length - left.length;
  console.log(`${met} met, ${missed.length} missed, ${left.length} left out, in ${Math.round(seconds)} s`);
  if (values.report !== undefined) {
    const before = existsSync(values.report) ? readFileSync(values.report, "utf8") : "";
    writeFileSync(values.report, await toReport(inOrder, { short: options.short, before, parts: all }));
  }
  return missed.length === 0 ? 0 : 1;
}

/** Runs a part, and with it those that share its run. */
async function perform(part: Part, screen: Screen): Promise<Outcome[]> {
  const together = parts.filter(({ run }) => run === part.run);
  const absent = missing(part.needs);
  if (absent.length > 0) {
    const note = `needs ${absent.join(" and ")}, which this machine does not have`;
    const state = isRequired(absent) ? "missed" : "left out";
    return together.map((one) => ({ part: one, state, seconds: 0, figures: {}, note }));
  }
  screen.start(part.id, part.title);
  const started = performance.now();
  const result = await runInChild(part, (text) => screen.progress(part.id, text));
  const seconds = (performance.now() - started) / 1000;
  return together.map((one) => toOutcome(one, result.byPart?.[one.id] ?? result, seconds));
}

function toOutcome(part: Part, result: PartResult, seconds: number): Outcome {
  return {
    part,
    state: result.ok && (options.short || result.isLate !== true) ? "met" : "missed",
    seconds,
    figures: result.figures,
    ...(result.note === undefined ? {} : { note: result.note }),
    ...(result.table === undefined ? {} : { table: result.table }),
  };
}

function runInChild(part: Part, onProgress: (text: string) => void): Promise<PartResult> {
  const minutes = options.short ? longest.short : (part.longest ?? longest.full);
  return runChild([fileURLToPath(new URL("./run-part.ts", import.meta.url)), part.id, JSON.stringify(options)], {
    limit: (part.onDemand === true ? options.minutes + 5 : minutes) * 60_000,
    onProgress,
  });
}
