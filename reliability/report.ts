import { execFileSync } from "node:child_process";
import { arch, availableParallelism, totalmem, type } from "node:os";
import pg from "pg";
import { createClient } from "redis";
import { services } from "../packages/data/test/support/services.ts";
import type { FigureTable, Part } from "./part.ts";

export interface Outcome {
  readonly part: Part;
  readonly state: "met" | "missed" | "left out";
  readonly seconds: number;
  readonly figures: Readonly<Record<string, string | number>>;
  readonly note?: string;
  readonly table?: FigureTable;
}

const count = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

function describeFigures({ figures }: Outcome): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === "number" ? count.format(value) : value}`)
    .join(" · ");
}

/** One line for the terminal. */
export function summarize(outcome: Outcome): string {
  const { state, seconds, note } = outcome;
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  return `${state === "missed" ? "MISSED" : state.padEnd(8)} ${time}  ${describeFigures(outcome)}${note === undefined ? "" : `  [${note}]`}`;
}

/** The summary at the end: figures next to their bars. */
export function toTable(outcomes: readonly Outcome[]): string {
  return outcomes
    .map((outcome) => {
      const { part, state } = outcome;
      const head = `${part.id.padEnd(3)} ${state === "missed" ? "MISSED" : state.padEnd(8)} ${part.title}`;
      const lines = [`bar:     ${part.bar}`, `figures: ${describeFigures(outcome) || "none"}`];
      if (outcome.note !== undefined) lines.push(`note:    ${outcome.note}`);
      if (outcome.table !== undefined) lines.push(...toMarkdown(outcome.table));
      return [head, ...lines.map((line) => `             ${line}`)].join("\n");
    })
    .join("\n");
}

function toMarkdown({ columns, rows }: FigureTable): string[] {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === "number" ? count.format(cell) : cell)).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)];
}

/** The row of one part in a report. */
interface Entry {
  readonly row: string;
  /** Its figures over time, below the others. */
  readonly section: string;
}

/** The committed report. Parts that did not run keep their rows of `before`, an earlier report. */
export async function toReport(
  outcomes: readonly Outcome[],
  run: { readonly short: boolean; readonly before: string; readonly order: readonly string[] },
): Promise<string> {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const form = run.short ? "short" : "full";
  const entries = parseReport(run.before);
  for (const outcome of outcomes) entries.set(outcome.part.id, toEntry(outcome, `${form}, ${commit}`));
  const order = [...run.order, ...run.order.map((id) => `${id} node`)];
  const inOrder = order.flatMap((id) => entries.get(id) ?? []);
  const notRun = run.order.filter((id) => !entries.has(id));
  const missed = order.filter((id) => entries.get(id)?.row.includes("| missed |"));
  return `# Reliability report

Written by \`npm run test:full -- --soak --minutes 30 --report docs/reliability-report.md\`; not edited by hand. Each line is a part of \`reliability/parts/\`, in the form and at the commit that its last column names; \`npm run test:full -- --only <id> --report docs/reliability-report.md\` runs one part and replaces its line. Lines of \`W1 node\` and the like ran on the node engine (\`--engine node\`), all others on the wire engine.

| | |
|---|---|
| Date | ${new Date().toISOString().slice(0, 10)} |
${(await versions()).map(([name, text]) => `| ${name} | ${text} |`).join("\n")}
| Result | ${missed.length === 0 ? "every figure is met" : `missed: ${missed.join(", ")}`}${notRun.length === 0 ? "" : `; not run: ${notRun.join(", ")}`} |

| Id | What | Bar | Figures | Result | Time | Run |
|---|---|---|---|---|---|---|
${inOrder.map(({ row }) => row).join("\n")}
${inOrder.map(({ section }) => section).join("")}`;
}

function toEntry(outcome: Outcome, run: string): Entry {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const { part, state, seconds, note, table } = outcome;
  const figures = describeFigures(outcome) + (note === undefined ? "" : ` (${note})`);
  return {
    row: `| ${part.id} | ${cell(part.title)} | ${cell(part.bar)} | ${cell(figures)} | ${state} | ${Math.round(seconds)} s | ${run} |`,
    section: table === undefined ? "" : `\n## ${part.id}: ${part.title}\n\n${toMarkdown(table).join("\n")}\n`,
  };
}

function parseReport(report: string): Map<string, Entry> {
  const sections = new Map(report.split(/^(?=## )/m).map((text) => [/^## ([^:\n]+):/.exec(text)?.[1], text.trimEnd()]));
  return new Map(
    [...report.matchAll(/^\| ([A-Z]+\d(?: node)?) \|.*$/gm)].map(([row, id = ""]) => {
      const section = sections.get(id);
      return [id, { row, section: section === undefined ? "" : `\n${section}\n` }];
    }),
  );
}

async function versions(): Promise<[string, string][]> {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    ["Node", process.version],
    ["System", `${type()} ${arch()}, ${availableParallelism()} cores, ${gigabytes} GB`],
    ["PostgreSQL", await postgresVersion()],
    ["Redis", await redisVersion()],
    ["SQLite", process.versions.sqlite ?? "unknown"],
  ];
}

async function postgresVersion(): Promise<string> {
  if (services.postgres === undefined) return "not there";
  const client = new pg.Client({ connectionString: services.postgres });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>("show server_version");
  await client.end();
  return rows[0]?.server_version.split(" ")[0] ?? "unknown";
}

async function redisVersion(): Promise<string> {
  if (services.redis === undefined) return "not there";
  const client = createClient({ url: services.redis });
  await client.connect();
  const text = await client.info("server");
  await client.close();
  return /redis_version:(\S+)/.exec(text)?.[1] ?? "unknown";
}
