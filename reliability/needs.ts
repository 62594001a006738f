import { spawnSync } from "node:child_process";
import { services } from "../packages/data/test/support/services.ts";
import type { Need } from "./part.ts";
import { postgresBinary } from "./support/own-postgres.ts";

const checks: Record<Need, () => boolean> = {
  postgres: () => services.postgres !== undefined,
  redis: () => services.redis !== undefined,
  "own postgres": () => postgresBinary("postgres") !== undefined,
  "own redis": () => works("redis-server", "--version"),
  strace: () => works("strace", "-e", "trace=none", "true"),
  nginx: () => works("nginx", "-v"),
  haproxy: () => works("haproxy", "-v"),
};

export function missing(needs: readonly Need[]): Need[] {
  return needs.filter((need) => !checks[need]());
}

/** Whether a program is installed and can run. */
export function works(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
}
