import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import type { StreamCounts } from "../fixtures/streams.ts";
import { Figures, type Part } from "../part.ts";
import { becomesTrue } from "../support/job-process.ts";
import type { Memory } from "../support/probe.ts";
import { Prober } from "../support/prober.ts";
import { withService } from "../support/service.ts";

const fixture = fileURLToPath(new URL("../fixtures/streams.ts", import.meta.url));
const cert = readFileSync(new URL("../../packages/core/test/fixtures/tls/cert.pem", import.meta.url));
const kinds = ["generator", "node", "web", "rows", "array"];
const sizes = [1, 100, 5000, 16_000, 65_000, 1_000_000];
const protocols = ["HTTP/1.0", "HTTP/1.1", "TLS"] as const;
const parallel = 4;
const megabyte = 2 ** 20;
/** The fixture's `stopTimeout` is 1 s: endless streams last that long. */
const stopSeconds = 3;

export const part: Part = {
  id: "S3",
  title: "clients that disconnect from streams whose source is always ready, and signals meanwhile",
  bar: "1,000 disconnects: a probe ≤ 50 ms over its baseline throughout; every signal aborted, every source stopped, memory back; SIGTERM ends the service ≤ 3 s at any time",
  needs: [],
  alone: true, // a busy machine delays the probe
  async run({ short, seed, say }) {
    const random = new Random(seed);
    const disconnects = short ? 400 : 1000;
    const stops = short ? 2 : 20;
    const figures = new Figures().show("seed", String(random.seed));
    await withStreams(async (server, tlsPort) => {
      const prober = new Prober(server.url, { path: "/probe", every: 5 });
      await leave(server, tlsPort, random, 60, () => {}); // compiles what runs, and fills the caches
      const before = await server.ask<Memory>("memory");
      const baseline = await prober.measure(1500);
      await leave(server, tlsPort, random, disconnects, (done) => say(`${done} of ${disconnects} disconnects`));
      const probed = await prober.read();
      const isOver = async () => {
        const { requested, aborted, running } = await server.ask<StreamCounts>("counts");
        return requested === aborted && running === 0;
      };
      const ended = await becomesTrue(isOver, 5000);
      await prober.end();
      const after = await server.ask<Memory>("memory");
      figures
        .show("disconnects", disconnects)
        .show("probes", probed.length)
        .show("slowest without streams ms", baseline.at(-1) ?? Number.NaN)
        .inTime("slowest beside streams, ms more", (probed.at(-1) ?? Number.NaN) - (baseline.at(-1) ?? Number.NaN), 50)
        .holds("every signal aborted, every source stopped", ended)
        .atMost("heap growth MB", (after.heap - before.heap) / megabyte, 4)
        .atMost("buffer growth MB", (after.external - before.external) / megabyte, 4)
        .atMost("open files more", Math.abs(after.files - before.files), 2)
        .exactly("unhandled", after.unhandled, 0)
        .exactly("process alive", server.alive ? 1 : 0, 1);
      if (!server.alive) figures.note(await server.describeEnd());
    });
    let slowest = 0;
    let failed = 0;
    for (let round = 0; round < stops; round++) {
      say(`stop ${round + 1} of ${stops}`);
      await withStreams(async (server, tlsPort) => {
        const leaving = leave(server, tlsPort, random, 1000, () => {});
        await sleep(random.below(1000));
        const start = performance.now();
        server.signal("SIGTERM");
        const end = await Promise.race([server.ended, sleep(20_000)]);
        slowest = Math.max(slowest, (performance.now() - start) / 1000);
        if (end?.code !== 0) failed++;
        if (server.alive) await server.kill();
        await leaving;
      });
    }
    return figures
      .show("stops", stops)
      .exactly("stops that fail", failed, 0)
      .inTime("slowest stop s", slowest, stopSeconds)
      .done();
  },
};

async function withStreams(body: (server: ServerProcess, tlsPort: number) => Promise<void>): Promise<void> {
  const tlsPort = await freePort();
  await withService({ file: fixture, env: { TLS_PORT: String(tlsPort) } }, (server) => body(server, tlsPort));
}

/** Requests streams of all kinds and leaves each after some of it. Ends early when the service ends. */
async function leave(
  server: ServerProcess,
  tlsPort: number,
  random: Random,
  count: number,
  onProgress: (done: number) => void,
): Promise<void> {
  const port = Number(new URL(server.url).port);
  let next = random.below(100);
  const last = next + count;
  const work = async () => {
    while (next < last && server.alive) {
      const index = next++;
      const protocol = protocols[index % protocols.length] ?? "HTTP/1.1";
      const kind = kinds[Math.floor(index / protocols.length) % kinds.length];
      const size = sizes[Math.floor(index / protocols.length / kinds.length) % sizes.length];
      const socket =
        protocol === "TLS"
          ? connectTls({ port: tlsPort, host: "127.0.0.1", ca: cert, servername: "localhost" })
          : connect(port, "127.0.0.1");
      const version = protocol === "TLS" ? "HTTP/1.1" : protocol;
      await readSome(socket, `GET /endless/${kind}/${size} ${version}\r\nHost: localhost\r\n\r\n`, random);
      if (index % 50 === 0) onProgress(count - (last - index));
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

function readSome(socket: Socket, request: string, random: Random): Promise<void> {
  return new Promise((resolve) => {
    const isReset = random.below(2) === 0 && !("encrypted" in socket); // TLS has no reset of its own
    socket.on("error", () => {}).once("close", () => resolve());
    socket.write(request);
    socket.once("data", async () => {
      socket.resume();
      await sleep(random.below(20));
      if (isReset) socket.resetAndDestroy();
      else socket.destroy();
    });
  });
}
