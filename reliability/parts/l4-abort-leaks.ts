import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import type { HeardAt } from "../fixtures/abortable.ts";
import { Figures, type Part } from "../part.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

const fixture = fileURLToPath(new URL("../fixtures/abortable.ts", import.meta.url));
const parallel = 40;
const megabyte = 2 ** 20;
const host = "Host: localhost\r\n";
const requests = [
  `GET /fast HTTP/1.1\r\n${host}Cookie: a=b\r\n\r\n`,
  `POST /body HTTP/1.1\r\n${host}Content-Length: 60\r\n\r\n${"b".repeat(60)}`,
  `POST /body HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n10\r\n${"c".repeat(16)}\r\n0\r\n\r\n`,
  `GET /stream HTTP/1.1\r\n${host}\r\n`,
  `GET /fast HTTP/1.1\r\n${host}\r\nGET /stream HTTP/1.1\r\n${host}\r\n`,
];

export const part: Part = {
  id: "L4",
  title: "clients that disconnect at any byte of a request, and in the middle of event streams",
  bar: "100,000 requests and 20,000 event streams: files ± 2, heap ≤ 1 MB more after warm-up, 0 unhandled, handlers hear of it ≤ 100 ms",
  needs: [],
  async run(options) {
    const { short, say } = options;
    const random = new Random(options.seed);
    const aborts = short ? 4000 : 100_000;
    const streams = short ? 1000 : 20_000;
    return withService({ file: fixture, env: {} }, async (server) => {
      const port = Number(new URL(server.url).port);
      const at = (share: number) => Math.floor(aborts * share);
      const before = await server.ask<Memory>("memory");
      await repeat(
        at(0.2),
        () => leaveAtAnyByte(port, random),
        (done) => say(`${done} of ${aborts} requests`),
      );
      await repeat(
        streams / 5,
        () => leaveStream(port),
        () => {},
      );
      const warm = await server.ask<Memory>("memory");
      await repeat(
        at(0.8),
        () => leaveAtAnyByte(port, random),
        (done) => say(`${at(0.2) + done} of ${aborts} requests`),
      );
      await repeat(
        (streams * 4) / 5,
        () => leaveStream(port),
        (done) => say(`${streams / 5 + done} of ${streams} streams`),
      );
      await sleep(500); // the last ones are still ending
      const after = await server.ask<Memory>("memory");
      const waits = await measureSignal(server, port, short ? 100 : 500);
      const kinds = new Set([...Object.keys(before.resources), ...Object.keys(after.resources)]);
      const left = [...kinds].filter((kind) => (after.resources[kind] ?? 0) > (before.resources[kind] ?? 0) + 1);
      return new Figures()
        .show("seed", String(random.seed))
        .show("requests", aborts)
        .show("event streams", streams)
        .atMost("open files more", Math.abs(after.files - before.files), 2)
        .atMost("heap growth after warm-up MB", (after.heap - warm.heap) / megabyte, 1)
        .exactly("kinds of resources left", left.length, 0)
        .exactly("unhandled", after.unhandled, 0)
        .show("aborts timed", waits.length)
        .inTime("handler hears of it p99 ms", percentile(waits, 0.99), 100)
        .exactly("process alive", server.alive ? 1 : 0, 1)
        .done();
    });
  },
};

async function repeat(count: number, once: () => Promise<unknown>, onProgress: (done: number) => void): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      next++;
      await once();
      if (next % 1000 === 0) onProgress(next);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** Writes a request up to a random byte and disconnects; after the last byte, it disconnects during the response. */
function leaveAtAnyByte(port: number, random: Random): Promise<void> {
  const request = random.pick(requests);
  const cut = random.below(request.length + 40);
  const reset = random.below(2) === 0;
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const leave = () => (reset ? socket.resetAndDestroy() : socket.destroy());
    socket.once("connect", () => {
      if (cut < request.length) socket.write(request.slice(0, cut), leave);
      else socket.once("data", leave).write(request);
    });
    socket.on("error", () => {}).once("close", () => resolve());
  });
}

function leaveStream(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET /events HTTP/1.1\r\n${host}\r\n`));
    socket.once("data", () => socket.destroy());
    socket.on("error", () => {}).once("close", () => resolve());
  });
}

/** Milliseconds from the disconnect of a client until its handler learns of it. */
async function measureSignal(server: ServerProcess, port: number, count: number): Promise<number[]> {
  const leftAt: Record<string, number> = {};
  for (let id = 0; id < count; id++) {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET /wait/${id} HTTP/1.1\r\n${host}\r\n`));
    socket.on("error", () => {});
    await sleep(10);
    leftAt[id] = performance.timeOrigin + performance.now();
    socket.destroy();
  }
  await sleep(500);
  const heard = await server.ask<HeardAt>("heard");
  return Object.entries(leftAt).map(([id, left]) => (heard[id] ?? Number.POSITIVE_INFINITY) - left);
}
