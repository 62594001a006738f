import { fileURLToPath } from "node:url";
import { Figures, type Part } from "../part.ts";
import { becomesTrue } from "../support/job-process.ts";
import { type LiveClients, withLiveClients } from "../support/live-clients.ts";
import { withService } from "../support/service.ts";

const fixture = fileURLToPath(new URL("../fixtures/live-server.ts", import.meta.url));
/** Clients that read nothing: they see neither the close frame nor the end of the stream. */
const silent = 20;
/** The default, in seconds. */
const stopTimeout = 10;
const sockets = "1001 the server is stopping";
const streams = "end of stream";

export const part: Part = {
  id: "LV6",
  title: "SIGTERM with 1,000 event streams, 1,000 sockets and 40 clients that never read, while events are published",
  bar: "all closed with 1001 or the end of the stream; no event missed before; exit 0 within the stop timeout of 10 s",
  needs: [],
  alone: true, // it measures times
  async run({ short, say }) {
    const rounds = short ? 2 : 5;
    const each = short ? 250 : 1000;
    const totals: Totals = { sockets: 0, streams: 0, gaps: 0, exits: [], slowest: 0, ends: new Set() };
    for (let round = 0; round < rounds; round++) {
      await stopOnce(each, totals);
      say(`stop ${round + 1} of ${rounds}`);
    }
    const figures = new Figures()
      .show("stops", rounds)
      .exactly("sockets closed with 1001", totals.sockets, rounds * each)
      .exactly("streams ended", totals.streams, rounds * each)
      .exactly("events missed before", totals.gaps, 0)
      .exactly("exit code not 0", totals.exits.filter((code) => code !== 0).length, 0)
      .inTime("slowest stop s", totals.slowest / 1000, stopTimeout);
    if (totals.ends.size > 0) figures.note(`other ends: ${[...totals.ends].join(", ")}`);
    return figures.done();
  },
};

interface Totals {
  sockets: number;
  streams: number;
  gaps: number;
  readonly exits: unknown[];
  /** Milliseconds. */
  slowest: number;
  readonly ends: Set<string>;
}

function stopOnce(each: number, totals: Totals): Promise<void> {
  return withService({ file: fixture, env: { LIVE_PUBLISH_EVERY: "250" } }, (server) =>
    withLiveClients(async (clients) => {
      const stream = `${server.url}/stream`;
      const socket = `${server.url.replace("http:", "ws:")}/socket`;
      await clients.open({ group: "streams", url: stream, count: each });
      await clients.open({ group: "sockets", url: socket, count: each });
      await clients.open({ group: "silent", url: stream, count: silent, reads: false });
      await clients.open({ group: "silent", url: socket, count: silent, reads: false });
      const hasEvents = async () => (await clients.report("sockets")).fewest > 0;
      await becomesTrue(hasEvents, 10_000);
      const begun = performance.now();
      server.signal("SIGTERM");
      const { code } = await server.ended;
      totals.slowest = Math.max(totals.slowest, performance.now() - begun);
      totals.exits.push(code);
      totals.sockets += await countEnds(clients, "sockets", sockets, totals);
      totals.streams += await countEnds(clients, "streams", streams, totals);
    }),
  );
}

async function countEnds(clients: LiveClients, group: string, expected: string, totals: Totals): Promise<number> {
  await becomesTrue(async () => (await clients.report(group)).open === 0, 10_000, 100);
  const { ends, gaps, open } = await clients.report(group);
  totals.gaps += gaps;
  if (open > 0) totals.ends.add(`${open} ${group} are open`);
  for (const end of Object.keys(ends)) if (end !== expected) totals.ends.add(`${group}: ${end}`);
  return ends[expected] ?? 0;
}
