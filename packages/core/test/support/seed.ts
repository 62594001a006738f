import { randomInt } from "node:crypto";

/** Whether the long form of the property and load tests runs (`npm run test:full`). */
export const isFullRun = process.env.TENON_FULL === "1";

/** What a property test passes to fast-check. Prints the seed; `TENON_SEED=<seed>` runs the same cases again. */
export function seeded(title: string, runs: { readonly fast: number; readonly full: number }) {
  const seed = process.env.TENON_SEED === undefined ? randomInt(2 ** 31) : Number(process.env.TENON_SEED);
  const numRuns = isFullRun ? runs.full : runs.fast;
  process.stdout.write(`${title}: ${numRuns} runs, TENON_SEED=${seed}\n`);
  return { seed, numRuns };
}
