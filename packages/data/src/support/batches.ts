import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Runs a statement of bounded size until it finds nothing more, and returns the sum of what it returned. SQLite holds
 * the event loop for each statement: others run between two of them.
 */
export async function runInBatches(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = await batch(); count > 0; count = await batch()) {
    total += count;
    await nextTurn();
  }
  return total;
}
