import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { LiveStats } from "@tenon/live";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { becomesTrue } from "../support/job-process.ts";
import { Line, toRequest } from "../support/line.ts";
import { type LiveClients, withLiveClients } from "../support/live-clients.ts";
import { PeakMemory } from "../support/peak-memory.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

const fixture = fileURLToPath(new URL("../fixtures/live-server.ts", import.meta.url));
const eventBytes = 4096;
const readers = 20;
/** The default of `pendingBytes`. */
const pendingBytes = 256 * 1024;
const megabyte = 2 ** 20;
/** What the process may take besides what waits for clients. */
const otherMemory = 96 * megabyte;
const slow = "the client reads too slowly";
const kinds = [
  { name: "sockets", path: "/socket", scheme: "ws:", reason: `1013 ${slow}` },
  { name: "streams", path: "/stream", scheme: "http:", reason: `close: ${slow}` },
] as const;

export const part: Part = {
  id: "LV2",
  title: "500 sockets and 500 event streams whose clients never read, and a publisher at full speed",
  bar: "memory ≤ 96 MB + 2 × `pendingBytes` for each; all of them disconnected, with the reason for those that read then; others lose nothing; open files ± 2",
  needs: [],
  alone: true, // a busy machine makes other clients slow too
  async run(options) {
    const figures = new Figures();
    for (const kind of kinds) await overwhelm(kind, figures, options);
    return figures.done();
  },
};

function overwhelm(kind: (typeof kinds)[number], figures: Figures, { short, say }: PartOptions): Promise<void> {
  const count = short ? 50 : 500;
  const silent = short ? 0 : count / 5; // they read nothing later either: until they are cut off, it takes 15 to 30 s
  const further = short ? 200 : 2000;
  // on a slow machine a heartbeat would find clients that do not read before their buffers are full
  const env = { LIVE_EVENT_BYTES: String(eventBytes), LIVE_HEARTBEAT: "300000" };
  return withService({ file: fixture, env }, (server) =>
    withLiveClients((unread) =>
      withLiveClients(async (others) => {
        const url = server.url.replace("http:", kind.scheme) + kind.path;
        const before = await server.ask<Memory>("memory");
        await others.open({ group: "readers", url, count: readers });
        await unread.open({ group: "late", url, count: count - silent, reads: false });
        await unread.open({ group: "silent", url, count: silent, reads: false });
        const peak = new PeakMemory(server.pid);
        const publisher = await Publisher.start(server.url);
        const stats = () => server.ask<LiveStats>("stats");
        await becomesTrue(
          async () => {
            const { slowClients } = await stats();
            say(`${kind.name}: ${publisher.published} events, ${slowClients} of ${count} disconnected`);
            return slowClients >= count;
          },
          120_000,
          100,
        );
        const { slowClients } = await stats();
        const filled = publisher.published;
        await unread.read("late");
        await becomesTrue(() => publisher.published >= filled + further, 120_000);
        await publisher.stop();
        const cost = peak.bytes;
        const late = await settle(unread, "late");
        const reading = await untilRead(others, publisher.published);
        await others.close("readers");
        const { files } = await untilClosed(server, before.files);
        const missing = publisher.published - reading.fewest;
        figures
          .show(`${kind.name}: events`, publisher.published)
          .exactly(`${kind.name}: disconnected`, slowClients, count)
          .exactly(`${kind.name}: with the reason, of ${count - silent}`, late.ends[kind.reason] ?? 0, count - silent)
          .exactly(`${kind.name}: events missed before it`, late.gaps, 0)
          .atMost(`${kind.name}: memory MB`, cost / megabyte, (otherMemory + 2 * count * pendingBytes) / megabyte)
          .exactly(`${kind.name}: other clients still open`, reading.open, readers)
          .exactly(`${kind.name}: events that one of them missed`, missing + reading.gaps, 0)
          .atMost(`${kind.name}: open files more`, Math.abs(files - before.files), 2)
          .exactly(`${kind.name}: process alive`, server.alive ? 1 : 0, 1);
      }),
    ),
  );
}

/** Publishes one event after the other, as fast as the server stores them. */
class Publisher {
  published = 0;
  #running = true;
  readonly #line: Line;
  readonly #ended: Promise<void>;

  private constructor(line: Line) {
    this.#line = line;
    this.#ended = this.#work();
  }

  static async start(url: string): Promise<Publisher> {
    return new Publisher(await Line.open(url));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#ended;
    this.#line.close();
  }

  async #work(): Promise<void> {
    const request = toRequest("POST", "/publish");
    while (this.#running) {
      const { status } = await this.#line.ask(request);
      if (status >= 300) throw new Error(`an event was not published: ${status}`);
      this.published++;
    }
  }
}

/** What the clients have got when the connections of all of them have ended. */
async function settle(clients: LiveClients, group: string) {
  await becomesTrue(async () => (await clients.report(group)).open === 0, 30_000, 200);
  return clients.report(group);
}

async function untilRead(clients: LiveClients, events: number) {
  await becomesTrue(async () => (await clients.report("readers")).fewest >= events, 20_000, 200);
  return clients.report("readers");
}

async function untilClosed(server: ServerProcess, files: number): Promise<Memory> {
  await becomesTrue(async () => (await server.ask<Memory>("memory")).files <= files, 60_000, 500);
  await sleep(200);
  return server.ask<Memory>("memory");
}
