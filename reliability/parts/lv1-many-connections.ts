import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { Figures, type Part, type PartOptions, round } from "../part.ts";
import { becomesTrue } from "../support/job-process.ts";
import { type LiveClients, withLiveClients } from "../support/live-clients.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

const live = fileURLToPath(new URL("../fixtures/live-server.ts", import.meta.url));
const bare = fileURLToPath(new URL("../fixtures/bare-live-server.ts", import.meta.url));
const warmUp = 300;
/** Files of a process besides its connections. */
const otherFiles = 200;
/** What a connection may take of the resident memory of one by hand: of `ws` alone, and of server-sent events on node:http. */
const bar = 1.3;
/**
 * The short form has too few connections for resident memory. It guards the heap against growth, next to `ws` with
 * handlers that know their request, as ours do.
 */
const heapBars = { streams: 1.7, sockets: 1.4 };

export const part: Part = {
  id: "LV1",
  title:
    "10,000 open event streams and 5,000 sockets, next to server-sent events by hand on node:http and to bare `ws`",
  bar: "resident memory per connection ≤ 1.3 × theirs; open files ± 2 after they have closed",
  needs: [],
  alone: true, // it measures memory, and needs many files
  async run(options) {
    const counts = countsWithin(options.short ? { streams: 500, sockets: 250 } : { streams: 10_000, sockets: 5000 });
    const byHand = await measure(bare, counts, "by hand", options);
    const bareSockets = await measure(bare, { streams: 1, sockets: counts.sockets }, "bare ws", options, "/bare");
    const ours = await measure(live, counts, "live", options);
    const figures = new Figures()
      .show("streams", counts.streams)
      .show("streams: KB each", kilobytes(ours.streams.resident))
      .show("streams: KB each by hand", kilobytes(byHand.streams.resident))
      .show("sockets", counts.sockets)
      .show("sockets: KB each", kilobytes(ours.sockets.resident))
      .show("sockets: KB each of bare ws", kilobytes(bareSockets.sockets.resident))
      .show("sockets: KB each of ws that knows its request", kilobytes(byHand.sockets.resident));
    if (options.short) {
      for (const kind of ["streams", "sockets"] as const) {
        figures.atMost(`${kind}: heap, of that by hand`, ours[kind].heap / byHand[kind].heap, heapBars[kind]);
      }
    } else {
      figures
        .atMost("streams: of those by hand", ours.streams.resident / byHand.streams.resident, bar)
        .atMost("sockets: of bare ws", ours.sockets.resident / bareSockets.sockets.resident, bar);
    }
    return figures
      .atMost("open files more", Math.abs(ours.filesMore), 2)
      .show("heap MB more after they have closed", round(ours.heapMore / 2 ** 20))
      .exactly("unhandled", ours.unhandled, 0)
      .done();
  },
};

const kilobytes = (bytes: number) => round(bytes / 1024);

interface Counts {
  readonly streams: number;
  readonly sockets: number;
}

/** Bytes of one connection: on the heap and in buffers, and as the system counts them. */
interface Cost {
  readonly heap: number;
  readonly resident: number;
}

interface Measured {
  readonly streams: Cost;
  readonly sockets: Cost;
  readonly filesMore: number;
  readonly heapMore: number;
  readonly unhandled: number;
}

/** Fewer in a process that may not open so many files. */
function countsWithin({ streams, sockets }: Counts): Counts {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  const share = Math.min(1, (limit - otherFiles) / (streams + sockets));
  return { streams: Math.floor(streams * share), sockets: Math.floor(sockets * share) };
}

function measure(
  file: string,
  counts: Counts,
  name: string,
  { say }: PartOptions,
  path = "/socket",
): Promise<Measured> {
  return withService({ file, env: {} }, (server) =>
    withLiveClients(async (clients) => {
      const before = await openAndClose(server, clients, path);
      say(`${name}: ${counts.streams} streams`);
      await clients.open({ group: "streams", url: `${server.url}/stream`, count: counts.streams });
      const withStreams = await settledMemory(server);
      say(`${name}: ${counts.sockets} sockets`);
      await clients.open({ group: "sockets", url: socketUrl(server, path), count: counts.sockets });
      const withBoth = await settledMemory(server);
      say(`${name}: closing`);
      const after = await closeAll(server, clients, before.files);
      return {
        streams: costOf(before, withStreams, counts.streams),
        sockets: costOf(withStreams, withBoth, counts.sockets),
        filesMore: after.files - before.files,
        heapMore: after.heap - before.heap,
        unhandled: after.unhandled,
      };
    }),
  );
}

/** So that code is compiled and pools are filled before the measurement. */
async function openAndClose(server: ServerProcess, clients: LiveClients, path: string): Promise<Memory> {
  const { files } = await server.ask<Memory>("memory");
  await clients.open({ group: "streams", url: `${server.url}/stream`, count: warmUp });
  await clients.open({ group: "sockets", url: socketUrl(server, path), count: warmUp });
  return closeAll(server, clients, files);
}

async function closeAll(server: ServerProcess, clients: LiveClients, files: number): Promise<Memory> {
  await clients.close("streams");
  await clients.close("sockets");
  let memory = await server.ask<Memory>("memory");
  await becomesTrue(
    async () => {
      memory = await server.ask<Memory>("memory");
      return memory.files <= files;
    },
    20_000,
    200,
  );
  return memory;
}

function socketUrl({ url }: ServerProcess, path: string): string {
  return `${url.replace("http", "ws")}${path}`;
}

function costOf(before: Memory, after: Memory, count: number): Cost {
  const heap = after.heap + after.external - before.heap - before.external;
  return { heap: heap / count, resident: (after.rss - before.rss) / count };
}

/** The least of some samples: a heartbeat that is being written takes memory too. */
async function settledMemory(server: ServerProcess): Promise<Memory> {
  const samples: Memory[] = [];
  for (let sample = 0; sample < 4; sample++) {
    await sleep(500);
    samples.push(await server.ask<Memory>("memory"));
  }
  const least = (value: (memory: Memory) => number) => Math.min(...samples.map(value));
  const last = samples.at(-1) as Memory; // there are some
  return { ...last, rss: least(({ rss }) => rss), heap: least(({ heap, external }) => heap + external), external: 0 };
}
