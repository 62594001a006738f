import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/core/test/support/random.ts";
import { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";

/** What is killed under load, again and again. */
export interface Victim {
  kill(): Promise<void>;
  /** Looks at what is left, before anything repairs it. Whether it is whole. */
  isWhole?(): boolean;
  /** Brings it back; gives the time from which the service has to answer again. */
  revive(): Promise<number>;
}

export interface CrashReport {
  kills: number;
  acknowledged: number;
  lost: string[];
  undone: string[];
  whole: number;
  /** Milliseconds until the service answered everything again. */
  slowestRecovery: number;
}

export interface CrashOptions {
  readonly url: string;
  readonly kills: number;
  readonly random: Random;
  readonly onKill: () => void;
}

const patience = 60_000;

export async function crashLoop(victim: Victim, options: CrashOptions): Promise<CrashReport> {
  const { url, kills, random } = options;
  const report: CrashReport = { kills, acknowledged: 0, lost: [], undone: [], whole: 0, slowestRecovery: 0 };
  const ledger = new Ledger(new Caller(url), random);
  await ledger.begin();
  for (let kill = 0; kill < kills; kill++) {
    ledger.work();
    await ledger.acknowledges(1 + random.below(60));
    await victim.kill();
    const resting = ledger.rest();
    if (victim.isWhole?.() !== false) report.whole++;
    const since = await victim.revive();
    await resting;
    report.slowestRecovery = Math.max(report.slowestRecovery, (await answers(url)) - since);
    await ledger.verify();
    options.onKill();
  }
  await ledger.verify({ all: true });
  report.acknowledged = ledger.acknowledged;
  report.lost = ledger.lost;
  report.undone = ledger.undone;
  return report;
}

/** When the service and all that it needs first answered. */
async function answers(url: string): Promise<number> {
  const deadline = performance.now() + patience;
  let last = "no connection";
  while (performance.now() < deadline) {
    const caller = new Caller(url);
    try {
      const [posts, ready] = await Promise.all([
        caller.call("GET", "/posts?limit=1"),
        caller.call("GET", "/health/ready"),
      ]);
      if (posts.status === 200 && ready.status === 200) return performance.now();
      last = `GET /posts ${posts.status}, GET /health/ready ${ready.status}`;
    } catch (error) {
      last = String(error);
    } finally {
      caller.close();
    }
    await sleep(10);
  }
  throw new Error(`the service did not answer within ${patience} ms: ${last}`);
}

export function addUp(reports: readonly CrashReport[]): CrashReport {
  const sum = (of: (report: CrashReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  return {
    kills: sum(({ kills }) => kills),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost: reports.flatMap(({ lost }) => lost),
    undone: reports.flatMap(({ undone }) => undone),
    whole: sum(({ whole }) => whole),
    slowestRecovery: Math.max(...reports.map(({ slowestRecovery }) => slowestRecovery)),
  };
}
