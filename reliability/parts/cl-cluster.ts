import { runCluster, runRedisCluster } from "../cluster/run-cluster.ts";
import type { Part } from "../part.ts";

const shared = {
  needs: ["namespaces", "faketime", "haproxy", "pgbouncer", "own postgres"],
  alone: "always", // several parts share a run
  longest: 35,
  run: runCluster,
} satisfies Partial<Part>;

const where = "three instances, PostgreSQL with a synchronous replica, and faults";

/** One run of the cluster judges the first five. */
export const parts: readonly Part[] = [
  {
    ...shared,
    id: "CL1",
    title: `every acknowledged write: ${where}`,
    bar: "0 acknowledged users, posts and keys lost after at least 60 faults; an unknown outcome is an error, never success",
  },
  {
    ...shared,
    id: "CL2",
    title: `refresh tokens, single-use tokens, unique job keys and login limits: ${where}`,
    bar: "one winner each across instances; limits exceeded by at most the number of instances",
  },
  {
    ...shared,
    id: "CL3",
    title: `sessions that were logged out or have expired: ${where}`,
    bar: "never valid again on any instance",
  },
  {
    ...shared,
    id: "CL4",
    title: `jobs of committed transactions, and schedules: ${where}`,
    bar: "each run at least once; every tick enqueued once",
  },
  {
    ...shared,
    id: "CL5",
    title: `live subscribers that resume: ${where}`,
    bar: "no acknowledged event missing without a reset, none repeated",
  },
  {
    ...shared,
    id: "CL6",
    title: "the same with one Redis for sessions, tokens, limits and channels, which restarts without its data",
    bar: "as CL1 to CL5; what Redis has lost is refused: sessions end, tokens have no winner, subscribers get a reset",
    needs: [...shared.needs, "own redis"],
    fullOnly: true,
    run: runRedisCluster,
  },
];
