import { appendFileSync } from "node:fs";

/** Whether the tests run as a part of the reliability plan, in its short or its long form. */
export const isReliabilityRun = process.env.TENON_FIGURES !== undefined;

/** Appends the figures of a test to the file that `TENON_FIGURES=<file>` names, one JSON object per line. */
export function noteFigures(figures: Readonly<Record<string, number | string>>): void {
  const file = process.env.TENON_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
