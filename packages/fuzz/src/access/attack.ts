import type { Operation } from "../operation.ts";
import type { Pair } from "./actors.ts";
import type { RequestBuilder } from "./builder.ts";
import type { Exchange } from "./exchange.ts";
import type { Oracle, Verdict } from "./oracle.ts";
import type { Setup } from "./setup.ts";
import type { World } from "./world.ts";

/** What attacks work with. */
export interface AttackTools {
  readonly exchange: Exchange;
  readonly builder: RequestBuilder;
  readonly world: World;
  readonly setup: Setup;
  readonly oracle: Oracle;
  readonly operations: readonly Operation[];
  readonly random: () => number;
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
