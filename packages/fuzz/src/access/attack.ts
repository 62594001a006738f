import type { Arbitraries } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import type { Pair } from "./actors.ts";
import type { Oracle } from "./oracle.ts";
import type { OwnerTools, Setup } from "./setup.ts";
import type { Verdict } from "./step.ts";

/** What attacks work with. */
export interface AttackTools extends OwnerTools {
  readonly setup: Setup;
  readonly oracle: Oracle;
  readonly arbitraries: Arbitraries;
  readonly operations: readonly Operation[];
}

export interface Mode {
  /** Whether the owner sends the same request right before, which fills caches. */
  readonly isWarm: boolean;
  /** Whether the objects are created for this attack. */
  readonly isFresh: boolean;
}

/** One way to misuse an operation, for any pair of actors. */
export interface Attack {
  readonly operation: Operation;
  /** The place of the foreign id: `:id`, `query project_id`. */
  readonly label: string;
  run(pair: Pair, mode: Mode): Promise<Verdict[]>;
}
