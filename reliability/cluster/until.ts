import { setTimeout as sleep } from "node:timers/promises";
import { until as untilHolds } from "../../packages/core/test/support/until.ts";

/** Waits for a state of other processes, and leaves them the processor between two looks. */
export function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  return untilHolds(holds, `state in which ${what}`, () => sleep(50));
}
