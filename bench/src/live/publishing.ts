import { withDatabase } from "../jobs/trial-store.ts";
import { median } from "../statistics.ts";
import { LiveChild } from "./live-child.ts";
import type { Publishing } from "./publish-process.ts";

const processes = 4;
const writers = 16;
/** Events of all writers in a second, and seconds of a round. */
const rate = 2000;
const seconds = 12;

/** Milliseconds that `publish()` takes, p50 and p99 in each quarter of a round. */
export interface PublishingRound {
  readonly p50: readonly number[];
  readonly p99: readonly number[];
  /** Events of all writers in a second, from the first `publish()` to the end of the last. */
  readonly rate: number;
  /** Events that all subscribers together have got, of those that they should. */
  readonly delivered: number;
}

/** One round: 16 writers in four processes publish 2,000 events a second to 4 topics through PostgreSQL; each process subscribes. */
export function measurePublishing(): Promise<PublishingRound> {
  return withDatabase((url) => measureRound(url));
}

async function measureRound(url: string): Promise<PublishingRound> {
  const children: LiveChild[] = [];
  try {
    for (let index = 0; index < processes; index++) {
      const role = index % 2 === 0 ? "load" : "server"; // on both cores
      const [child] = await LiveChild.start({ file: "publish-process.ts", args: [url], role });
      children.push(child);
    }
    const own = { writers: writers / processes, rate: rate / processes, seconds: 2 };
    await Promise.all(children.map((child) => child.ask<Publishing>(own))); // V8 optimizes
    const all = await Promise.all(children.map((child) => child.ask<Publishing>({ ...own, seconds })));
    const quarters = [0, 1, 2, 3].map((quarter) =>
      all.flatMap(({ samples }) => samples.filter(([at]) => Math.floor((4 * at) / seconds) === quarter)),
    );
    const at = (share: number) =>
      quarters.map((samples) => {
        const sorted = samples.map(([, took]) => took).toSorted((a, b) => a - b);
        return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
      });
    const sent = all.reduce((sum, { samples }) => sum + samples.length, 0);
    const got = all.reduce((sum, { received }) => sum + received, 0);
    const time = Math.max(...all.map(({ time }) => time));
    return { p50: at(0.5), p99: at(0.99), rate: sent / time, delivered: got / (sent * processes) };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

export function describePublishing(rounds: readonly PublishingRound[]): string {
  const quarters = (of: "p50" | "p99") =>
    [0, 1, 2, 3]
      .map((quarter) => median(rounds.map((round) => round[of][quarter] ?? Number.NaN)).toFixed(1))
      .join(", ");
  const growth = median(rounds.map(({ p99 }) => (p99[3] ?? Number.NaN) / (p99[0] ?? Number.NaN))).toFixed(2);
  const reached = Math.round(median(rounds.map((round) => round.rate)));
  const delivered = (100 * median(rounds.map((round) => round.delivered))).toFixed(1);
  return (
    `publish() through PostgreSQL, ${writers} writers in ${processes} processes, ${rate} events a second (${reached} reached, ` +
    `${delivered} % delivered): p50 ${quarters("p50")} ms and p99 ${quarters("p99")} ms by quarter; p99 of the last to the first ${growth}`
  );
}
