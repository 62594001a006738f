import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import type { Random } from "../../packages/core/test/support/random.ts";
import { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";

/** The process that is killed repeatedly under load. */
export interface Victim {
  kill(): Promise<void>;
  /** Checks the integrity of the data before anything repairs it. */
  isWhole?(): boolean;
  /** Restarts it; returns the time from which the service has to respond again. */
  revive(): Promise<number>;
}

export interface CrashReport {
  kills: number;
  acknowledged: number;
  lost: string[];
  undone: string[];
  whole: number;
  /** Milliseconds until the service responded to everything again. */
  slowestRecovery: number;
}

export interface CrashOptions {
  /** The current process of the service: a restart creates another one. */
  readonly service: () => ServerProcess;
  readonly kills: number;
  readonly random: Random;
  readonly onKill: () => void;
}

const patience = 60_000;

export async function crashLoop(victim: Victim, options: CrashOptions): Promise<CrashReport> {
  const { service, kills, random } = options;
  const report: CrashReport = { kills, acknowledged: 0, lost: [], undone: [], whole: 0, slowestRecovery: 0 };
  const ledger = new Ledger(new Caller(service().url), random);
  await ledger.begin();
  for (let kill = 0; kill < kills; kill++) {
    ledger.work();
    await ledger.acknowledges(1 + random.below(60));
    await victim.kill();
    const resting = ledger.rest();
    if (victim.isWhole?.() !== false) report.whole++;
    const since = await victim.revive();
    await resting;
    report.slowestRecovery = Math.max(report.slowestRecovery, (await respondsAt(service())) - since);
    await ledger.verify();
    options.onKill();
  }
  await ledger.verify({ all: true });
  report.acknowledged = ledger.acknowledged;
  report.lost = ledger.lost;
  report.undone = ledger.undone;
  return report;
}

/** When the service and its stores first responded. */
async function respondsAt(service: ServerProcess): Promise<number> {
  const deadline = performance.now() + patience;
  let last = "no connection";
  while (performance.now() < deadline) {
    if (!service.alive) throw new Error(`the service ended: ${await toEnd(service)}`);
    const caller = new Caller(service.url);
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
  throw new Error(`the service did not respond within ${patience} ms: ${last}`);
}

async function toEnd({ ended, lines }: ServerProcess): Promise<string> {
  const { code, signal } = await ended;
  return [code ?? signal, ...lines.slice(-3)].join("\n"); // the last one says why
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
