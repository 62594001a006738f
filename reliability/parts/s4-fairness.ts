import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { runFile, type ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { becomesTrue } from "../support/job-process.ts";
import { PeakMemory } from "../support/peak-memory.ts";
import type { Memory } from "../support/probe.ts";
import { Prober } from "../support/prober.ts";
import { jwtSecret, withService } from "../support/service.ts";

const fixture = fileURLToPath(new URL("../fixtures/streams.ts", import.meta.url));
const megabyte = 2 ** 20;
const host = "Host: localhost\r\n";
const pipelining = 50;
const halfSent = 600;
/** The default of `limits.bodyBytesTotal`. */
const bodyBytesTotal = 128 * megabyte;
const tooMany = halfSent - bodyBytesTotal / megabyte;
/** What the process may take for anything else, garbage included. */
const otherMemory = 96 * megabyte;
const leaving = 8;

export const part: Part = {
  id: "S4",
  title:
    "a client that reads 1,000,000 rows as fast as it can, 50 that pipeline without reading, 600 half-sent bodies, 8 that request lists and leave",
  bar: "p99 of others ≤ 3 × their baseline; bodies hold ≤ `bodyBytesTotal`, pipelined requests and lists ≤ 96 MB; a list arrives ≤ 2 s",
  needs: [],
  alone: true, // a busy machine delays the others
  async run({ short, say }) {
    const figures = new Figures();
    const milliseconds = short ? 1200 : 10_000;
    const tlsPort = await freePort();
    await withService({ file: fixture, env: { TLS_PORT: String(tlsPort) } }, async (server) => {
      const prober = new Prober(server.url, { path: "/page", every: 2 });
      const p99 = async () => percentile(await prober.measure(milliseconds), 0.99);
      say("others alone");
      const alone = [await p99()];
      const beside: Record<string, number> = {};
      for (const path of ["/rows", "/lines"]) {
        say(`a client reads ${path}`);
        const stop = readAgain(server, path);
        beside[`a client that reads ${path}`] = await p99();
        stop();
      }
      say(`${pipelining} clients pipeline`);
      let peak = new PeakMemory(server.pid);
      const deaf = await open(server, pipelining);
      for (const socket of deaf) pipeline(socket);
      beside[`${pipelining} that pipeline without reading`] = await p99();
      figures.atMost("pipelined requests cost MB", peak.bytes / megabyte, otherMemory / megabyte);
      for (const socket of deaf) socket.destroy();
      say(`${halfSent} clients send half a body`);
      const before = await server.ask<Memory>("memory");
      peak = new PeakMemory(server.pid);
      const senders = await open(server, halfSent);
      const refused = await sendAlmostAll(senders);
      const held = await server.ask<Memory>("memory");
      beside["half-sent bodies"] = await p99();
      for (const socket of senders) socket.destroy();
      alone.push(await p99());
      await prober.end();
      figures
        .show("half-sent bodies", halfSent)
        .atLeast("refused with 503", refused, tooMany)
        .atMost("held MB", (held.external - before.external) / megabyte, bodyBytesTotal / megabyte + 2)
        .atMost("with garbage MB", peak.bytes / megabyte, (2 * bodyBytesTotal + otherMemory) / megabyte)
        .show("p99 ms of others alone", Math.max(...alone));
      for (const [name, time] of Object.entries(beside)) figures.inTime(`beside ${name}`, time, 3 * Math.max(...alone));
      figures.exactly("process alive", server.alive ? 1 : 0, 1);
      if (!server.alive) figures.note(await server.describeEnd());
    });
    await withFolder((folder) => leaveLists(`sqlite:${join(folder, "blog.db")}`, figures, short ? 2000 : 20_000, say));
    return figures.done();
  },
};

/** Reads a response as fast as it can, again and again. Returns a function that stops. */
function readAgain(server: ServerProcess, path: string): () => void {
  const stop = new AbortController();
  const read = () => {
    request(`${server.url}${path}`, { signal: stop.signal }, (response) => response.resume().once("end", read))
      .on("error", () => {})
      .end();
  };
  read();
  return () => stop.abort();
}

async function open(server: ServerProcess, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index++) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1").on("error", () => {});
    await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    sockets.push(socket);
  }
  return sockets;
}

/** Sends requests for as long as the service takes them, and reads nothing. */
function pipeline(socket: Socket): void {
  const requests = `GET /probe HTTP/1.1\r\n${host}\r\n`.repeat(1000);
  const send = () => {
    if (!socket.destroyed && socket.write(requests)) setImmediate(send);
  };
  socket.pause();
  socket.on("drain", send);
  send();
}

/** Sends a body of 1 MiB except for its last byte. Waits for the refusals of those over the total, and returns their number. */
async function sendAlmostAll(sockets: readonly Socket[]): Promise<number> {
  const head = `POST /body HTTP/1.1\r\n${host}Content-Length: ${megabyte}\r\n\r\n`;
  const body = Buffer.alloc(megabyte - 1);
  let refused = 0;
  for (const socket of sockets) {
    socket.once("data", (chunk: Buffer) => {
      if (chunk.toString("latin1").startsWith("HTTP/1.1 503 ")) refused++;
    });
    socket.write(head);
    socket.write(body);
  }
  await becomesTrue(() => refused >= tooMany, 10_000);
  await sleep(300); // more than necessary would be refused now
  return refused;
}

/** Clients that request the whole list of the reference service and leave at once, while another one reads it. */
async function leaveLists(databaseUrl: string, figures: Figures, milliseconds: number, say: (text: string) => void) {
  const env = { DATABASE_URL: databaseUrl, JWT_SECRET: jwtSecret, BCRYPT_COST: "10" };
  const { code, stderr } = await runFile("src/main.cli.ts", env, { args: ["db", "seed", "--posts=2000"] });
  if (code !== 0) throw new Error(stderr);
  await withService({ env: { DATABASE_URL: databaseUrl } }, async (server) => {
    say(`${leaving} clients request lists and leave`);
    await readList(server);
    const peak = new PeakMemory(server.pid);
    let stopped = false;
    let left = 0;
    const clients = Array.from({ length: leaving }, async () => {
      for (; !stopped; left++) {
        const [socket] = await open(server, 1);
        await new Promise((resolve) => socket?.write(`GET /posts HTTP/1.1\r\n${host}\r\n`, resolve));
        socket?.destroy(); // a reset could overtake the request
      }
    });
    const times: number[] = [];
    for (const end = performance.now() + milliseconds; performance.now() < end; ) times.push(await readList(server));
    stopped = true;
    await Promise.all(clients);
    figures
      .show("lists left", left)
      .show("lists read", times.length)
      .inTime("slowest list s", Math.max(...times) / 1000, 2)
      .atMost("lists cost MB", peak.bytes / megabyte, otherMemory / megabyte)
      .exactly("service alive", server.alive ? 1 : 0, 1);
  });
}

/** Milliseconds until the whole list has arrived; infinite when it does not within 30 s. */
function readList(server: ServerProcess): Promise<number> {
  const start = performance.now();
  return new Promise((resolve) => {
    request(`${server.url}/posts`, { signal: AbortSignal.timeout(30_000) }, (response) => {
      response.on("error", () => {}).resume();
      response.once("close", () => resolve(response.complete ? performance.now() - start : Number.POSITIVE_INFINITY));
    })
      .on("error", () => resolve(Number.POSITIVE_INFINITY))
      .end();
  });
}
