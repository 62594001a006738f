import { fileURLToPath } from "node:url";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { type FuzzResult, fuzzBytes, statusesOf } from "../../packages/core/test/support/byte-fuzz.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { echoLimits } from "../support/echo-limits.ts";
import { closeCodeFor } from "../support/frame-model.ts";
import { type CompressedCase, closeFrame, compressedCases, frame, hostileFrames } from "../support/hostile-frames.ts";
import { becomesTrue } from "../support/job-process.ts";
import type { Memory } from "../support/probe.ts";
import { exchange, handshakeOf, type RawReply } from "../support/raw-socket.ts";
import { withService } from "../support/service.ts";
import { floodUpgrades, halfHandshakes } from "../support/upgrade-flood.ts";

const fixture = fileURLToPath(new URL("../fixtures/live-echo.ts", import.meta.url));
const megabyte = 2 ** 20;
const parallel = 32;
const deflate = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n";
/** By docs/live.md and docs/limits.md. */
const documented = [101, 204, 400, 403, 404, 405, 408, 413, 414, 415, 417, 426, 431, 501, 505];
const foreignOrigins = [
  "http://evil.example",
  "https://evil.example",
  "null",
  "http://localhost.evil.example",
  "http://localhost:1",
  "http://localhost@evil.example",
  "http://localhost/",
  "HTTP://LOCALHOST",
  "ws://localhost",
  "file://",
  "http://localhost http://evil.example",
];

export const part: Part = {
  id: "LV5",
  title: "hostile frames, handshakes and origins against WebSockets, with a model of RFC 6455 beside the server",
  bar: "30,000 connections with damaged frames: each close code as the model says; bombs, floods, half handshakes and foreign origins: only documented codes and statuses; 0 hung; process alive; files and memory as before",
  needs: [],
  async run(options) {
    const random = new Random(options.seed);
    const figures = new Figures().show("seed", String(random.seed));
    await withService({ file: fixture, env: {} }, async (server) => {
      const port = Number(new URL(server.url).port);
      await attack(port, new Figures(), { ...options, short: true, say: () => {} }, new Random(random.seed + 1)); // warms up
      const before = await settle(server);
      await attack(port, figures, options, random);
      const next = await exchange(port, { head: handshakeOf(), bytes: closeFrame, awaitsClose: true });
      const after = await settle(server);
      figures
        .exactly("process alive", server.alive ? 1 : 0, 1)
        .exactly("sockets left", await server.ask<number>("open sockets"), 0)
        .atMost("open files more", after.files - before.files, 2)
        .atMost("RSS growth MB", (after.rss - before.rss) / megabyte, 30)
        .atMost("heap growth MB", (after.heap - before.heap) / megabyte, 4)
        .exactly("unhandled", after.unhandled, 0)
        .exactly("next close code", next.closeCode ?? 0, 1000);
    });
    return figures.done();
  },
};

async function attack(port: number, figures: Figures, options: PartOptions, random: Random): Promise<void> {
  await sendFrames(port, figures, options, random);
  await sendCompressed(port, figures, options);
  await mutateHandshakes(port, figures, options, random);
  await flood(port, figures, options, random);
  await knockFromElsewhere(port, figures);
}

/** Memory when the last connections have ended. */
async function settle(server: ServerProcess): Promise<Memory> {
  await becomesTrue(async () => (await server.ask<number>("open sockets")) === 0, 10_000, 100);
  return server.ask<Memory>("memory");
}

async function repeat(count: number, once: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await once(next++);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}

/** Counts what a connection got against what it should have got. */
class Verdicts {
  readonly codes: Record<string, number> = {};
  readonly wrong: string[] = [];
  hung = 0;

  take(reply: RawReply, code: number | undefined, describe: () => string): void {
    const got = String(reply.closeCode ?? "none");
    this.codes[got] = (this.codes[got] ?? 0) + 1;
    if (reply.isHung) this.hung++;
    if (reply.status === 101 && reply.closeCode === code && reply.isSound && !reply.isHung) return;
    this.wrong.push(`status ${reply.status}, code ${got} instead of ${code}: ${describe()}`);
  }

  judge(figures: Figures, name: string): void {
    const counts = Object.entries(this.codes).map(([code, count]) => `${count} × ${code}`);
    figures
      .show(`${name}: close codes`, counts.join(", "))
      .exactly(`${name}: other than expected`, this.wrong.length, 0)
      .exactly(`${name}: hung`, this.hung, 0);
    for (const text of this.wrong.slice(0, 3)) figures.note(text);
  }
}

async function sendFrames(port: number, figures: Figures, { short, say }: PartOptions, random: Random): Promise<void> {
  const connections = short ? 1500 : 30_000;
  const verdicts = new Verdicts();
  await repeat(connections, async (index) => {
    const bytes = hostileFrames(random);
    const code = closeCodeFor(bytes, echoLimits.messageBytes);
    const send = bytes.length > 50_000 ? "after" : random.pick(["after", "together", "split"] as const);
    const isDeaf = code !== undefined && random.below(100) === 0;
    const reply = await exchange(port, { head: handshakeOf(), bytes, send, awaitsClose: code !== undefined, isDeaf });
    verdicts.take(reply, code, () => `${send} ${bytes.subarray(0, 300).toString("hex")}`);
    if (index % 1000 === 0) say(`${index} of ${connections} connections with frames`);
  });
  figures.show("frames: connections", connections);
  verdicts.judge(figures, "frames");
}

/** Compression bombs and the like, and floods of frames that the server has to answer. */
async function sendCompressed(port: number, figures: Figures, { short, say }: PartOptions): Promise<void> {
  const rounds = short ? 20 : 400;
  const compressed = new Verdicts();
  say("compression bombs");
  await repeat(rounds * compressedCases.length, async (index) => {
    const { name, bytes, code } = compressedCases[index % compressedCases.length] as CompressedCase; // below its length
    const reply = await exchange(port, { head: handshakeOf("/compressed", deflate), bytes, awaitsClose: true });
    compressed.take(reply, code, () => name);
  });
  compressed.judge(figures, "compressed");
  const floods = new Verdicts();
  say("floods of frames");
  const flooding = (first: number) => Buffer.concat(Array<Buffer>(5000).fill(frame(first, Buffer.alloc(100, "x"))));
  const kinds = [0x81, 0x89, 0x8a].map(flooding);
  await repeat(short ? 30 : 300, async (index) => {
    const bytes = kinds[index % kinds.length] ?? Buffer.alloc(0);
    const reply = await exchange(port, { head: handshakeOf(), bytes, awaitsClose: true });
    floods.take(reply, 1008, () => `a flood of frames of kind ${bytes[0]}`);
  });
  floods.judge(figures, "floods");
}

async function mutateHandshakes(
  port: number,
  figures: Figures,
  { short, say }: PartOptions,
  random: Random,
): Promise<void> {
  const connections = short ? 500 : 10_000;
  const corpus = [
    handshakeOf(),
    handshakeOf("/compressed", deflate),
    handshakeOf("/", "Origin: http://localhost\r\nSec-WebSocket-Protocol: a, b\r\n"),
    handshakeOf("/?lastEventId=1-1", "Cookie: a=b\r\n"),
    handshakeOf().replace("Version: 13", "Version: 8"),
    handshakeOf().replace("GET", "POST"),
  ];
  const statuses: Record<number, number> = {};
  const wrong: string[] = [];
  let hung = 0;
  const onResults = ([result]: readonly FuzzResult[]) => {
    if (result === undefined) return;
    if (result.hung) hung++;
    for (const status of statusesOf(result)) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (!documented.includes(status)) wrong.push(`${status} for ${JSON.stringify(result.sent.toString("latin1"))}`);
    }
  };
  const onProgress = (done: number) => say(`${done} of ${connections} handshakes`);
  await fuzzBytes({ ports: [port], corpus, connections, seed: random.below(2 ** 31), onResults, onProgress });
  figures
    .show("handshakes", connections)
    .show("handshakes: statuses", toText(statuses))
    .exactly("handshakes: not documented", wrong.length, 0)
    .exactly("handshakes: hung", hung, 0);
  for (const text of wrong.slice(0, 3)) figures.note(text.slice(0, 600));
}

async function flood(port: number, figures: Figures, { short, say }: PartOptions, random: Random): Promise<void> {
  const waves = short ? 2 : 20;
  const halves = halfHandshakes(port, short ? 50 : 500);
  const statuses: Record<number, number> = {};
  let silent = 0;
  let most = 0;
  for (let wave = 1; wave <= waves; wave++) {
    say(`flood ${wave} of ${waves}`);
    const result = await floodUpgrades(port, 1000, random);
    silent += result.silent;
    most = Math.max(most, result.statuses[101] ?? 0);
    for (const [status, count] of Object.entries(result.statuses)) {
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
    }
  }
  say("half handshakes");
  const half = await halves;
  figures
    .show("flood: statuses", toText(statuses))
    .atMost("flood: open at the same time", most, echoLimits.connections)
    .holds(
      "flood: only 101 and 503",
      Object.keys(statuses).every((status) => ["101", "503"].includes(status)),
    )
    .holds("flood: some are refused", (statuses[503] ?? 0) > 0)
    .exactly("flood: without a response", silent, 0)
    .exactly("half handshakes: not 408", half.statuses.filter((status) => status !== 408).length, 0)
    .inTime("half handshakes closed in s", half.longest / 1000, 12 + 2);
}

async function knockFromElsewhere(port: number, figures: Figures): Promise<void> {
  const lines = foreignOrigins.map((origin) => `Origin: ${origin}\r\n`);
  const fetchSites = ["cross-site", "same-site"].map((site) => `Sec-Fetch-Site: ${site}\r\n`);
  let letIn = 0;
  for (const line of [...lines, ...fetchSites]) {
    const { status } = await exchange(port, { head: handshakeOf("/", line), bytes: closeFrame, awaitsClose: true });
    if (status !== 403) letIn++;
  }
  const own = handshakeOf("/", "Origin: http://localhost\r\n");
  const { status } = await exchange(port, { head: own, bytes: closeFrame, awaitsClose: true });
  figures
    .show("foreign origins", lines.length + fetchSites.length)
    .exactly("foreign origins: not 403", letIn, 0)
    .exactly("own origin: status", status, 101);
}

function toText(counts: Readonly<Record<number, number>>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");
}
