// What `npm run coverage` prints and requires.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { uncovered } from "./uncovered.ts";

/** Per cent of the lines and of the branches. */
const least = { core: 99.5, "all packages": 95 };

const percent = ([covered, total]) => (total === 0 ? 100 : (covered / total) * 100);
const show = (counts) => percent(counts).toFixed(2).padStart(6);
const sum = (files, kind) => files.reduce(([a, b], { [kind]: [c, d] }) => [a + c, b + d], [0, 0]);

/** The lines as ranges: 1-3 7. */
function toRanges(lines) {
  const ranges = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(" ");
}

/**
 * A table of the packages and of the files that are not covered whole, and what is not good enough. The gate "core" takes
 * each line of core, but those that are listed with a reason; "all" takes shares; "none" takes anything.
 */
export function judgeCoverage(covered, gate) {
  const files = covered.map((file) => ({ ...file, path: relative("", file.path).replaceAll("\\", "/") }));
  const packages = Object.entries(Object.groupBy(files, ({ path }) => path.split("/").slice(0, 2).join("/")));
  const rows = packages.flatMap(([name, list]) => [
    `${show(sum(list, "lines"))} ${show(sum(list, "branches"))}  ${name}`,
    ...list
      .filter(({ missed }) => missed.length > 0)
      .map(({ path, lines, branches, missed }) => `${show(lines)} ${show(branches)}    ${path}: ${toRanges(missed)}`),
  ]);
  const text = ["lines % branches %", ...rows].join("\n");
  const core = files.filter(({ path }) => path.startsWith("packages/core/"));
  if (gate === "core") return { text, faults: compareWithList(core) };
  const judged = gate === "all" ? Object.entries({ core, "all packages": files }) : [];
  const faults = judged.flatMap(([name, list]) =>
    ["lines", "branches"]
      .filter((kind) => percent(sum(list, kind)) < least[name])
      .map((kind) => `${name}: ${show(sum(list, kind)).trim()} % of the ${kind}; at least ${least[name]} %`),
  );
  return { text, faults };
}

/** Lines that are neither covered nor listed, and entries of lines that are covered. */
export function compareWithList(files, list = uncovered) {
  const missed = files.flatMap(({ path, missed }) => {
    const source = readFileSync(path, "utf8").split("\n");
    return missed.map((line) => ({ file: path, line, text: source[line - 1].trim() }));
  });
  const isSame = (one, other) => one.file === other.file && one.text === other.text;
  return [
    ...missed
      .filter((line) => !list.some((entry) => isSame(entry, line)))
      .map(({ file, line, text }) => `${file}:${line} is not covered: ${text}`),
    ...list
      .filter((entry) => !entry.byChance && !missed.some((line) => isSame(entry, line)))
      .map(({ file, text }) => `${file} is covered, remove it from scripts/test/uncovered.ts: ${text}`),
  ];
}
