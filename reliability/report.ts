import { execFileSync } from "node:child_process";
import { arch, availableParallelism, totalmem, type } from "node:os";
import pg from "pg";
import { createClient } from "redis";
import { services } from "../packages/data/test/support/services.ts";
import type { FigureTable, Part } from "./part.ts";
import { areas } from "./parts.ts";

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

/**
 * The committed report: a summary by area, then the last figures of every part, then their tables. Parts that did not
 * run keep their rows and tables of `before`, an earlier report.
 */
export async function toReport(
  outcomes: readonly Outcome[],
  run: { readonly short: boolean; readonly before: string; readonly parts: readonly Part[] },
): Promise<string> {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const form = run.short ? "short" : "full";
  const rows = parseRows(run.before);
  const tables = parseTables(run.before);
  for (const outcome of outcomes) {
    rows.set(outcome.part.id, toRow(outcome, `${form}, ${commit}`));
    if (outcome.table !== undefined) tables.set(outcome.part.id, toMarkdown(outcome.table).join("\n"));
  }
  return `# Reliability report

The last result of every part of \`reliability/parts/\`, next to its target. The file is written by \`npm run test:full -- --soak --minutes 30 --report docs/reliability-report.md\` and not edited by hand; with \`--only <id>\` one part runs and its line is replaced.

${summarizeAreas(run.parts, rows).join("\n")}

| | |
|---|---|
| Date | ${new Date().toISOString().slice(0, 10)} |
${(await versions()).map(([name, text]) => `| ${name} | ${text} |`).join("\n")}

## Figures

"Run" is the form of the part, full or short, and the commit.

| Id | What | Target | Figures | Result | Time | Run |
|---|---|---|---|---|---|---|
${run.parts.map((part) => rows.get(part.id) ?? toEmptyRow(part)).join("\n")}
${run.parts.map((part) => toSection(part, tables.get(part.id))).join("")}`;
}

function toSection({ id, title }: Part, table: string | undefined): string {
  return table === undefined ? "" : `\n## ${id}: ${title}\n\n${table}\n`;
}

const isFull = (row: string | undefined) => row !== undefined && / \| full, \w+ \|$/.test(row);
const isMissed = (row: string | undefined) => row?.includes(" | missed | ") === true;

function summarizeAreas(parts: readonly Part[], rows: ReadonlyMap<string, string>): string[] {
  const lines = Object.entries(areas).map(([area, ids]) => {
    const known = parts.filter(({ id }) => ids.split(" ").includes(id));
    const missed = known.filter(({ id }) => isMissed(rows.get(id)));
    const notRun = known.filter(({ id }) => !isFull(rows.get(id)));
    const met = known.length - new Set([...missed, ...notRun]).size;
    const faults = missed.map(({ id }) => `${id}: ${/\(([^()]*)\) \| missed \|/.exec(rows.get(id) ?? "")?.[1]}`);
    const open = notRun.length === 0 ? "" : `${notRun.map(({ id }) => id).join(", ")} not yet run in full form`;
    const rest = [...faults, open].filter((text) => text !== "").join("; ");
    return `| ${area} | ${met} of ${known.length} |${rest === "" ? "" : ` ${rest}`} |`;
  });
  return ["| Area | Targets met | Missed or open |", "|---|---|---|", ...lines];
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function toRow(outcome: Outcome, run: string): string {
  const { part, state, seconds, note } = outcome;
  const figures = describeFigures(outcome) + (note === undefined ? "" : ` (${note})`);
  return `| ${part.id} | ${cell(part.title)} | ${cell(part.bar)} | ${cell(figures)} | ${state} | ${Math.round(seconds)} s | ${run} |`;
}

function toEmptyRow({ id, title, bar }: Part): string {
  return `| ${id} | ${cell(title)} | ${cell(bar)} | | not yet run in full form | | |`;
}

function parseRows(report: string): Map<string, string> {
  const rows = report.matchAll(/^\| ([A-Z]+\d) \|.*\| (?:full|short), \w+ \|$/gm);
  return new Map([...rows].map(([row, id = ""]) => [id, row]));
}

function parseTables(report: string): Map<string, string> {
  const sections = report.matchAll(/^## ([A-Z]+\d): .*\n\n((?:\|.*(?:\n|$))+)/gm);
  return new Map([...sections].map(([, id = "", table = ""]) => [id, table.trimEnd()]));
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
