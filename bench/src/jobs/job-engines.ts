import { toTable } from "../table.ts";
import { type CellResult, crashCells } from "./crash-cells.ts";
import type { EngineName, Settings } from "./engine.ts";
import { engineOf } from "./engines.ts";

export interface CrashResult extends CellResult {
  readonly engine: string;
  readonly settings: Settings;
  readonly cell: string;
}

/** Runs every crash cell on every engine, with its default and with its shortest settings. */
export async function tryEngines(names: readonly EngineName[]): Promise<CrashResult[]> {
  const results: CrashResult[] = [];
  for (const engine of names.map(engineOf)) {
    for (const settings of ["default", "shortest"] as const) {
      for (const cell of crashCells.filter(({ only = settings }) => only === settings)) {
        const result = await cell.run(engine, settings);
        results.push({ engine: engine.label, settings, cell: cell.name, ...result });
        process.stderr.write(`${engine.name}, ${settings}, ${cell.name}: ${result.text}\n`);
      }
    }
  }
  return results;
}

/** What each engine loses, cell by cell. */
export function toCrashTables(results: readonly CrashResult[]): string {
  return crashCells
    .map(({ name, title }) => {
      const rows = results
        .filter(({ cell }) => cell === name)
        .map(({ engine, settings, text, passed }) => [`${engine}, ${settings}`, passed ? "yes" : "NO", text]);
      return `${title}\n${toTable(["", "passed", "what happened"], rows)}`;
    })
    .join("\n\n");
}
