import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import type { FaultCounts } from "../fixtures/faulty.ts";
import { Figures, type Part } from "../part.ts";
import { Caller } from "../support/caller.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

/** The status that a client gets for each, and the number of log lines. */
const faults: Readonly<Record<string, { readonly status: number; readonly lines: number }>> = {
  "rejects-after-response": { status: 200, lines: 1 },
  "hook-rejects-after-response": { status: 200, lines: 1 },
  "next-twice": { status: 500, lines: 1 },
  "double-send": { status: 200, lines: 0 }, // no error here: only the returned value is a response
  "throw-null": { status: 500, lines: 1 },
  "reject-undefined": { status: 500, lines: 1 },
};
const aborted = "throw-after-abort";
const fixture = fileURLToPath(new URL("../fixtures/faulty.ts", import.meta.url));
const parallel = 20;

export const part: Part = {
  id: "L3",
  title: "faults of an application: late rejections, next() twice, double responses, throws after an abort, throw null",
  bar: "10,000 each: the process lives, one log line each, the client sees at most one response, the handler ran at most once",
  needs: [],
  async run({ short, say }) {
    const each = short ? 500 : 10_000;
    return withService({ file: fixture, env: {} }, async (server) => {
      const figures = new Figures().show("each", each);
      const caller = new Caller(server.url);
      let wrong = 0;
      for (const [name, { status }] of Object.entries(faults)) {
        let next = 0;
        const work = async () => {
          while (next < each) {
            next++;
            if ((await caller.call("GET", `/${name}`)).status !== status) wrong++;
          }
        };
        await Promise.all(Array.from({ length: parallel }, work));
        say(`${name}: ${each}`);
      }
      await abortRequests(server, each, say);
      const pipelined = await countReplies(server);
      const { status } = await caller.call("GET", "/fine");
      caller.close();
      const { unhandled } = await server.ask<Memory>("memory");
      const { runs, logged } = await server.ask<FaultCounts>("counts");
      const names = [...Object.keys(faults), aborted];
      const tooOften = names.filter((name) => (runs[name] ?? 0) > each + pipelined.sent);
      const lines = (name: string) => faults[name]?.lines ?? 1;
      const misLogged = names.filter((name) => (logged[name] ?? 0) !== lines(name) * (runs[name] ?? 0));
      figures
        .show("faults", names.length)
        .exactly("other responses", wrong, 0)
        .exactly("replies to pipelined ones", pipelined.received, pipelined.sent)
        .exactly("handlers that ran twice", tooOften.length, 0)
        .exactly("not one line each", misLogged.length, 0)
        .exactly("lines about nothing", logged.elsewhere ?? 0, 0)
        .exactly("unhandled", unhandled, 0)
        .exactly("afterwards", status, 200)
        .exactly("process alive", server.alive ? 1 : 0, 1);
      for (const name of misLogged) figures.note(`${name}: ${logged[name] ?? 0} lines for ${runs[name]} runs`);
      return figures.done();
    });
  },
};

async function abortRequests(server: ServerProcess, each: number, say: (text: string) => void): Promise<void> {
  const port = Number(new URL(server.url).port);
  const head = `GET /${aborted} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  let next = 0;
  const work = async () => {
    while (next < each) {
      next++;
      await new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(head, () => setTimeout(() => socket.destroy(), 2));
        });
        socket.on("error", () => {}).once("close", resolve);
      });
      if (next % 1000 === 0) say(`${aborted}: ${next}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** Every fault once on one connection: a second response to any of them would show. */
function countReplies(server: ServerProcess): Promise<{ readonly sent: number; readonly received: number }> {
  const names = Object.keys(faults);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => {
      for (const name of names) socket.write(`GET /${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
    const count = () => text.split("HTTP/1.1 ").length - 1;
    const deadline = setTimeout(() => socket.destroy(), 60_000);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (count() >= names.length) setTimeout(() => socket.destroy(), 1000); // time for one more
    });
    socket
      .on("error", () => {})
      .once("close", () => {
        clearTimeout(deadline);
        resolve({ sent: names.length, received: count() });
      });
  });
}
