import { loadavg } from "node:os";
import { postAt, postCount } from "../peers/support/posts-database.ts";
import { peerOf } from "./bars.ts";
import { checkAnswers } from "./check.ts";
import { withDatabase } from "./jobs/trial-store.ts";
import { keepPostgresFromLoad, loadApart } from "./load-apart.ts";
import type { OpenLoadOptions, OpenLoadResult } from "./open-load.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import type { PeerInfo } from "./peers.ts";
import { buildPackages, fillWithPosts } from "./prepare.ts";
import { Progress } from "./progress.ts";
import type { Scenario } from "./scenarios.ts";
import { Server } from "./server.ts";
import { median, type Spread, spreadOf } from "./statistics.ts";
import { toTable } from "./table.ts";

const own = "tenon";
const rival = "fastify-pressure";
/**
 * Those of a group have the capacity of its first: @fastify/under-pressure refuses as soon as the event loop has no pause,
 * so clients that send one request after the other would not find it.
 */
const groups = [[own], ["fastify-schema", rival]].map((names) => names.map(peerOf));
const peers = groups.flat();
const multiples = [1, 2, 4] as const;
/** Goodput at the highest load to that at the capacity. */
const target = 0.8;

const rows = 50;
const request = { method: "GET", path: `/posts?limit=${rows}`, headers: {} } as const;
const json = Array.from({ length: rows }, (_, index) => postAt(postCount - 1 - index));
const scenario: Scenario<"overload"> = {
  name: "overload",
  letter: "",
  title: `${rows} posts on PostgreSQL`,
  requests: [request],
  expectations: [{ request, status: 200, json }],
};

/** More than wait where requests are refused; where they are not, a pool that is never free makes each wait for 1.5 s. */
const connections = 2000;
/** Seconds of each load: the first are not measured. */
const settle = 2;
const seconds = 8;

/** One round of one application. */
interface Sample {
  /** 2xx a second when 20 clients wait for their responses. */
  readonly capacity: number;
  /** In the order of `multiples`. */
  readonly loads: readonly OpenLoadResult[];
}

export interface OverloadResults {
  readonly peers: readonly { readonly peer: string; readonly samples: readonly Sample[] }[];
  /** Whether the load had a core of its own. */
  readonly isApart: boolean;
  readonly loadAverage: { readonly before: number; readonly after: number };
}

/** In each round every application is started anew and loaded at multiples of its own capacity in that round. */
export async function measureOverload({ rounds, tenon }: Pick<Options, "rounds" | "tenon">): Promise<OverloadResults> {
  const before = loadavg()[0] ?? 0;
  if (tenon === "dist") buildPackages();
  const samples = new Map<PeerInfo, Sample[]>(peers.map((peer) => [peer, []]));
  let isApart = true;
  const progress = new Progress(rounds * peers.length);
  await withDatabase(async (database) => {
    fillWithPosts(database);
    for (let round = 0; round < rounds; round++) {
      for (const group of inTurn(groups, round)) {
        let capacity = 0;
        for (const peer of group) {
          progress.show(`round ${round + 1}, ${peer.label}`);
          const server = await Server.start(peer, scenario.name, { tenon, database });
          try {
            await checkAnswers(server.port, peer.name, scenario);
            const warmUp = { port: server.port, settle: 0, seconds: 5 }; // V8 optimizes
            await load(capacity === 0 ? warmUp : { ...warmUp, rate: capacity / 2 });
            isApart &&= await keepPostgresFromLoad(database);
            if (capacity === 0) capacity = await findCapacity(server.port);
            const loads: OpenLoadResult[] = [];
            for (const multiple of multiples) {
              loads.push(await load({ port: server.port, settle, seconds, rate: multiple * capacity }));
            }
            samples.get(peer)?.push({ capacity, loads });
          } finally {
            await server.stop();
          }
          progress.step();
        }
      }
    }
  });
  progress.end();
  return {
    peers: [...samples].map(([peer, list]) => ({ peer: peer.name, samples: list })),
    isApart,
    loadAverage: { before, after: loadavg()[0] ?? 0 },
  };
}

async function findCapacity(port: number): Promise<number> {
  const { good, failed, refused } = await load({ port, settle, seconds });
  if (failed + refused > 0) throw new Error(`${failed + refused} requests a second failed with 20 clients`);
  return good;
}

function load(options: Omit<OpenLoadOptions, "path" | "connections">): Promise<OpenLoadResult> {
  return loadApart({ ...options, path: request.path, connections });
}

function samplesOf({ peers }: OverloadResults, name: string): readonly Sample[] {
  return peers.find(({ peer }) => peer === name)?.samples ?? [];
}

/** Goodput at 4 times the capacity to that at the capacity, in each round. */
function ratioOf(results: OverloadResults, peer: string): Spread {
  const ratios = samplesOf(results, peer).map(({ loads: [first, ...others] }) => {
    return first === undefined || first.good === 0 ? 0 : (others.at(-1)?.good ?? 0) / first.good; // 0 if it serves nothing
  });
  return spreadOf(ratios);
}

export function isMissed(results: OverloadResults): boolean {
  const { median: ratio } = ratioOf(results, own);
  return !(ratio >= target && ratio >= ratioOf(results, rival).median);
}

export function toOverloadTable(results: OverloadResults): string {
  const lines = peers.flatMap(({ name, label }) => {
    const samples = samplesOf(results, name);
    const capacity = median(samples.map((sample) => sample.capacity));
    return multiples.map((multiple, index) => {
      const at = (key: "offered" | "good" | "refused" | "failed" | "p50" | "p99") => {
        const value = median(samples.map(({ loads }) => loads[index]?.[key] ?? Number.NaN));
        return Number.isNaN(value) ? "" : Math.round(value); // times of nothing that was served
      };
      const { median: ratio, low, high } = ratioOf(results, name);
      const isLast = index === multiples.length - 1;
      return [
        index === 0 ? `${label}, capacity ${Math.round(capacity)}` : "",
        `${multiple} ×`,
        ...(["offered", "good", "refused", "failed", "p50", "p99"] as const).map(at),
        isLast ? ratio.toFixed(2) : "",
        isLast ? `${low.toFixed(2)}–${high.toFixed(2)}` : "",
      ];
    });
  });
  const head = ["a second", "load", "offered", "2xx", "refused", "failed", "p50 ms", "p99 ms", "4 × to 1 ×", "spread"];
  const { median: ratio } = ratioOf(results, own);
  const { median: other } = ratioOf(results, rival);
  const busiest = Math.max(
    ...results.peers.flatMap(({ samples }) => samples.flatMap(({ loads }) => loads)).map(({ busy }) => busy),
  );
  const { before, after } = results.loadAverage;
  return [
    toTable(head, lines),
    "",
    `2xx at 4 × to 1 ×, at least ${target}: ${ratio >= target ? "met" : "missed"}; not below under-pressure: ${ratio >= other ? "met" : "missed"}`,
    `the load was busy for ${Math.round(100 * busiest)} % at most, ${results.isApart ? "on a core of its own" : "beside PostgreSQL on its core"}`,
    `load average ${before.toFixed(1)} before, ${after.toFixed(1)} after`,
  ].join("\n");
}
