// What `npm run coverage` prints and requires.
import { relative } from "node:path";

/** Per cent that must be covered. A branch of core that no input reaches is deleted, not tested. */
const least = { core: { lines: 97 }, "all packages": { lines: 95, branches: 95 } };

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
 * A table of the packages and of the files that are not covered whole, and which shares are too small. The gate "core"
 * takes the share of core, "all" each share, "none" anything.
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
  const judged = { none: {}, core: { core }, all: { core, "all packages": files } }[gate];
  const problems = Object.entries(judged).flatMap(([name, list]) =>
    Object.entries(least[name])
      .filter(([kind, share]) => percent(sum(list, kind)) < share)
      .map(([kind, share]) => `${name}: ${show(sum(list, kind)).trim()} % of the ${kind}; at least ${share} %`),
  );
  return { text, problems };
}
