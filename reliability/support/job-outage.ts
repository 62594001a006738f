import { setTimeout as sleep } from "node:timers/promises";
import type { Figures } from "../part.ts";
import type { JobLedger } from "./job-ledger.ts";
import { becomesTrue, type JobProcess } from "./job-process.ts";

export interface Outage {
  readonly name: string;
  /** Milliseconds. */
  readonly length: number;
  /** Whether nothing can be written meanwhile. */
  readonly total?: boolean;
  begin(): unknown;
  end(): unknown;
}

/** Milliseconds until a job that was enqueued after the outage has ended. */
const longestWait = 30_000;

/** A steady load of new jobs through outages of the store. */
export class JobOutages {
  readonly #child: JobProcess;
  readonly #ledger: JobLedger;
  readonly #slowest = new Map<string, number>();
  readonly #unfelt = new Set<string>();

  constructor(child: JobProcess, ledger: JobLedger) {
    this.#child = child;
    this.#ledger = ledger;
  }

  async start(): Promise<void> {
    await this.#child.ask({ type: "start load", lanes: 4, pause: 20 });
    await becomesTrue(() => this.#ledger.jobs("finished").size > 20, longestWait);
  }

  async during({ name, length, total = false, begin, end }: Outage): Promise<void> {
    await sleep(200);
    await begin();
    const begun = Date.now();
    await sleep(length);
    const isOver = Date.now();
    await end();
    const ended = Date.now();
    // in its second half: what was on its way at the beginning may still be written
    const isMeanwhile = (at: number) => at > (begun + isOver) / 2 && at < isOver;
    const written = this.#ledger.read().some(({ event, at }) => event === "enqueued" && isMeanwhile(at));
    if (total && written) this.#unfelt.add(name);
    const findResumed = () => {
      const entries = this.#ledger.read().filter(({ at }) => at >= ended);
      const fresh = new Set(entries.filter(({ event }) => event === "enqueued").map(({ job }) => job));
      return entries.find(({ event, job }) => event === "finished" && fresh.has(job))?.at;
    };
    await becomesTrue(() => findResumed() !== undefined, longestWait, 50);
    const time = (findResumed() ?? Number.POSITIVE_INFINITY) - ended;
    this.#slowest.set(name, Math.max(this.#slowest.get(name) ?? 0, time));
  }

  /** Waits for the jobs that are left, and judges. */
  async stop(figures: Figures, store: string): Promise<void> {
    await this.#child.ask({ type: "stop load" });
    const acknowledged = this.#ledger.jobs("enqueued");
    const lost = () => acknowledged.difference(this.#ledger.jobs("finished")).size;
    await becomesTrue(() => lost() === 0, longestWait, 100);
    figures.show(`${store}: acknowledged`, acknowledged.size).exactly(`${store}: lost`, lost(), 0);
    for (const [name, time] of this.#slowest) figures.inTime(`${store}: ${name}, resumed after s`, time / 1000, 3);
    for (const name of this.#unfelt) figures.miss(`${store}: ${name}: jobs were enqueued meanwhile`);
    figures.holds(`${store}: the process lives`, this.#child.alive);
  }
}
