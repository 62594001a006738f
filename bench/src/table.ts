import { peers } from "./peers.ts";
import type { Summary } from "./results.ts";
import type { Scenario } from "./scenarios.ts";

export type Cell = string | number;

/** Columns as wide as what they hold; numbers to the right. */
export function toTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => String(row[column]).length)));
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? String(cell).padEnd(width) : String(cell).padStart(width);
      })
      .join("  ")
      .trimEnd();
  return [line(head), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

export function toScenarioTables(summaries: readonly Summary[], scenarios: readonly Scenario[]): string {
  return scenarios
    .flatMap(({ name, letter, title }) => {
      const own = summaries
        .filter(({ scenario }) => scenario === name)
        .toSorted((a, b) => (b.ratio?.median ?? 0) - (a.ratio?.median ?? 0));
      if (own.length === 0) return [];
      const rows = own.map(({ peer, perSecond, ratio, processor, p99, resident }) => [
        peers.find((info) => info.name === peer)?.label ?? peer,
        Math.round(perSecond).toLocaleString("en"),
        ratio === undefined ? "" : ratio.median.toFixed(2),
        ratio === undefined ? "" : `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`,
        processor.toFixed(1),
        p99.toFixed(2),
        toMegabytes(resident),
      ]);
      return [
        `${letter}) ${title}\n${toTable(["", "req/s", "ratio", "spread", "µs/req", "p99 ms", "MB after"], rows)}`,
      ];
    })
    .join("\n\n");
}

export function toMegabytes(bytes: number): string {
  return bytes === 0 ? "" : (bytes / 2 ** 20).toFixed(0);
}
