import { checkJobs } from "./check/jobs.ts";
import { Lines, type Verdict } from "./check/lines.ts";
import { checkLive } from "./check/live.ts";
import { checkRaces } from "./check/races.ts";
import { checkSessions } from "./check/sessions.ts";
import { checkWrites } from "./check/writes.ts";

export type ClusterPart = "CL1" | "CL2" | "CL3" | "CL4" | "CL5";

/** Judges a history, by its lines alone. Shares no code with the service or with the workload. */
export function checkHistory(file: string): Readonly<Record<ClusterPart, Verdict>> {
  const lines = Lines.read(file);
  return {
    CL1: checkWrites(lines),
    CL2: checkRaces(lines),
    CL3: checkSessions(lines),
    CL4: checkJobs(lines),
    CL5: checkLive(lines),
  };
}
