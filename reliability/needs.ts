import { spawnSync } from "node:child_process";
import { postgresBinary } from "../packages/data/test/support/own-postgres.ts";
import { services } from "../packages/data/test/support/services.ts";
import type { Need } from "./part.ts";

const checks: Record<Need, () => boolean> = {
  postgres: () => services.postgres !== undefined,
  redis: () => services.redis !== undefined,
  "own postgres": () => postgresBinary("postgres") !== undefined,
  "own redis": () => works("redis-server", "--version"),
  pgbouncer: () => works("pgbouncer", "--version"),
  strace: () => works("strace", "-e", "trace=none", "true"),
  nginx: () => works("nginx", "-v"),
  haproxy: () => works("haproxy", "-v"),
  faketime: () => works("faketime", "-f", "+1h", "true"),
  namespaces: hasNamespaces,
};

/** Root, a kernel with network namespaces, and the rules of iptables that faults are made of. */
function hasNamespaces(): boolean {
  const name = `t${process.pid}-need`;
  if (!works("ip", "netns", "add", name)) return false;
  const rule = (...args: readonly string[]) =>
    works("ip", "netns", "exec", name, "iptables", "-w", "-A", "OUTPUT", "-d", "10.77.0.1", ...args);
  const random = ["-m", "statistic", "--mode", "random", "--probability", "0.1"];
  const relayed = ["-t", "nat", "-p", "tcp", "-j", "DNAT", "--to-destination", "10.77.0.2:1"];
  const all =
    rule(...random, "-j", "DROP") &&
    rule(...relayed) &&
    works("ip", "netns", "exec", name, "ss", "-K", "dst", "10.77.0.1");
  works("ip", "netns", "del", name);
  return all;
}

/** Whether REQUIRE_SERVICES=1 makes a missing need a failure. What root or the kernel must give cannot be installed. */
export function isRequired(absent: readonly Need[]): boolean {
  return process.env.REQUIRE_SERVICES === "1" && !absent.includes("namespaces");
}

export function missing(needs: readonly Need[]): Need[] {
  return needs.filter((need) => !checks[need]());
}

/** Whether a program is installed and can run. */
export function works(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
}
