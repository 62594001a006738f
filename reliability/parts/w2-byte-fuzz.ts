import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { api, type Context } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { wireCases } from "../../packages/core/test/advisories/wire-cases.ts";
import { type FuzzResult, fuzzBytes, isFault, statusesOf } from "../../packages/core/test/support/byte-fuzz.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { moduleOf } from "../../packages/core/test/support/transports.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { Caller } from "../support/caller.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

// incomplete on purpose: unmutated, they only wait for a timeout
const seeds = wireCases.filter(({ id }) => id !== "H7").map(({ bytes }) => bytes);
const host = "Host: localhost\r\n";
const json = `${host}Content-Type: application/json\r\n`;
const ordinary = [
  `GET /posts?limit=2 HTTP/1.1\r\n${host}Accept: */*\r\nCookie: session_id=x; a=b\r\n\r\n`,
  `GET /posts/1 HTTP/1.1\r\n${host}User-Agent: fuzz\r\n\r\n`,
  `HEAD /posts HTTP/1.1\r\n${host}Authorization: Bearer a.b.c\r\n\r\n`,
  `GET /auth/me HTTP/1.1\r\n${host}Authorization: Bearer a.b.c\r\n\r\n`,
  `GET /auth/key HTTP/1.0\r\n${host}X-API-Key: tnn_x\r\nConnection: keep-alive\r\n\r\n`,
  `POST /auth/logout HTTP/1.1\r\n${json}Content-Length: 2\r\n\r\n{}`,
  `POST /auth/login HTTP/1.1\r\n${json}Content-Length: 34\r\n\r\n{"email":"ada@b.co","password":""}`,
  `POST /auth/refresh HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n12\r\n{"refresh_token":"\r\n3\r\nx"}\r\n0\r\n\r\n`,
  `POST /auth/refresh HTTP/1.1\r\n${json}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 21\r\n\r\n{"refresh_token":"x"}`,
  `PUT /posts/%61 HTTP/1.1\r\n${json}Content-Length: 13\r\n\r\n{"title":"t"}`,
  `DELETE /posts/a?x=%20 HTTP/1.1\r\n${host}\r\n`,
];
const corpus = [...seeds, ...new Array<readonly string[]>(8).fill(ordinary).flat()];
const megabyte = 2 ** 20;

export const part: Part = {
  id: "W2",
  title: "mutated bytes against the running service, and against bare node:http",
  bar: "50,000 connections: 0 crash, 0 hang, 0 5xx, RSS after GC ≤ baseline + 30 MB, next request 200 in < 50 ms",
  needs: [],
  async run(options) {
    const { seed } = new Random(options.seed);
    const figures = new Figures().show("seed", String(seed));
    await fuzzService(figures, options, seed);
    await compareWithNode(figures, options, seed);
    return figures.done();
  },
};

async function fuzzService(figures: Figures, { short, say }: PartOptions, seed: number): Promise<void> {
  const connections = short ? 3000 : 50_000;
  await withFolder((folder) =>
    withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` } }, async (server) => {
      const port = Number(new URL(server.url).port);
      const faults: string[] = [];
      const hung: string[] = [];
      const onResults = ([result]: readonly FuzzResult[]) => {
        if (result?.hung === true) hung.push(connectionOf(result));
        if (result !== undefined && statusesOf(result).some(isFault)) faults.push(connectionOf(result));
      };
      const send = (count: number, from: number) =>
        fuzzBytes({
          ports: [port],
          corpus,
          connections: count,
          seed: from,
          onResults,
          onProgress: (done) => say(`${done} of ${count} connections`),
        });
      await send(1000, seed + 1); // warms up the memory
      const before = await server.ask<Memory>("memory");
      await send(connections, seed);
      const caller = new Caller(server.url);
      const next = await caller.call("GET", "/posts");
      caller.close();
      const after = await server.ask<Memory>("memory");
      figures
        .show("connections", connections)
        .exactly("crashes", server.alive ? 0 : 1, 0)
        .exactly("hung", hung.length, 0)
        .exactly("5xx", faults.length, 0)
        .atMost("RSS growth MB", (after.rss - before.rss) / megabyte, 30)
        .atMost("open files more", after.files - before.files, 2)
        .exactly("unhandled", after.unhandled, 0)
        .exactly("next status", next.status, 200)
        .inTime("next ms", next.time, 50);
      for (const connection of [...hung, ...faults].slice(0, 3)) figures.note(connection);
    }),
  );
}

function connectionOf({ index, sent, received }: FuzzResult): string {
  const shown = (text: string) => JSON.stringify(text.length > 600 ? `${text.slice(0, 600)}…` : text);
  return `connection ${index}: ${shown(sent.toString("latin1"))}, response ${shown(received)}`;
}

/** The server accepts only requests that node's parser saw: the same methods and lengths, in the same order, and never more. */
async function compareWithNode(figures: Figures, { short, say }: PartOptions, seed: number): Promise<void> {
  const connections = short ? 1000 : 10_000;
  const echo = async (ctx: Context) => {
    const { byteLength } = await ctx.request().body();
    ctx.response().setHeader("x-seen", `${ctx.method} ${byteLength}`);
    return null;
  };
  const app = await createTestApp(moduleOf([]), api({ middlewares: [echo] }), { log: { level: "silent" } });
  const read = new Map<number, string[]>();
  // the limit that our server gives the parser: the only bound of a trailer, which is read and dropped
  const bare = createServer({ maxHeaderSize: 25 * 1024 }, (req, res) => {
    const requests = read.get(req.socket.remotePort ?? 0) ?? [];
    read.set(req.socket.remotePort ?? 0, requests);
    let length = 0;
    req.on("data", (chunk: Buffer) => {
      length += chunk.byteLength;
    });
    req.on("end", () => {
      requests.push(`${req.method} ${length}`);
      res.end();
    });
  });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve));
    let accepted = 0;
    const disagreements: string[] = [];
    await fuzzBytes({
      ports: [port, (bare.address() as AddressInfo).port], // the address of a TCP server
      corpus,
      connections,
      seed,
      onResults: ([ours, nodes]) => {
        const seen = [...(ours?.received ?? "").matchAll(/^x-seen: (.*)\r$/gim)].map((match) => match[1] ?? "");
        accepted += seen.length;
        const reference = read.get(nodes?.port ?? 0) ?? [];
        read.delete(nodes?.port ?? 0);
        if (seen.some((request, index) => request !== reference[index])) {
          disagreements.push(`${seen.join(", ")} instead of ${reference.join(", ")}: ${ours?.sent.toString("latin1")}`);
        }
      },
      onProgress: (done) => say(`${done} of ${connections} connections beside node:http`),
    });
    figures
      .show("compared", connections)
      .show("accepted", accepted)
      .exactly("read differently by node", disagreements.length, 0)
      .holds("the comparison saw requests", accepted > connections / 20);
    if (disagreements[0] !== undefined) figures.note(JSON.stringify(disagreements[0].slice(0, 400)));
  } finally {
    bare.closeAllConnections();
    bare.close();
    await app.stop();
  }
}
