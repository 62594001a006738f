import { Random } from "../../packages/core/test/support/random.ts";
import type { History } from "./history.ts";
import { startJobs } from "./workload/jobs.ts";
import { startLive } from "./workload/live.ts";
import { startRaces } from "./workload/races.ts";
import { startSessions } from "./workload/sessions.ts";
import type { Setting } from "./workload/setting.ts";
import { startWrites } from "./workload/writes.ts";

export interface WorkloadOptions extends Omit<Setting, "random" | "users" | "signal"> {
  readonly history: History;
  readonly seed: number;
  /** Where sessions, tokens, limits and channels are. */
  readonly stores: "postgres" | "redis";
}

export interface Workload {
  /** Ends the load. Subscribers stay until they are verified. */
  stop(): Promise<void>;
  /** After all has healed: reads back what was acknowledged, into the same history. */
  verify(): Promise<void>;
}

/** The load of all parts, about 15 operations a second. Every instance must be up. */
export function startWorkload({ seed, stores, ...options }: WorkloadOptions): Workload {
  const ending = new AbortController();
  const setting: Setting = { ...options, random: new Random(seed), users: new Set(), signal: ending.signal };
  setting.history.note("start", "workload", { seed, stores, instances: options.instanceUrls.length });
  const parts = [startWrites, startRaces, startSessions, startJobs, startLive].map((start) => start(setting));
  return {
    stop: async () => {
      ending.abort();
      await Promise.all(parts.map(({ ended }) => ended));
    },
    verify: async () => {
      await Promise.all(parts.map((part) => part.verify()));
    },
  };
}
