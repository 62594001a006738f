import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ChildServer } from "../../packages/core/test/support/child-server.ts";
import type { RawClient } from "../../packages/core/test/support/wire.ts";
import { Figures, type Part } from "../part.ts";

/** A request of a busy client. */
export interface SentRequest {
  /** When it was written to the socket, in milliseconds since 1970: it is small enough to be sent at once. */
  readonly begun: number;
  succeeded: boolean;
  /** The response had `Connection: close`. */
  close: boolean;
}

const clients = 100;
const slowClients = 20;
const few = 5;
const parallel = 5;
const swingClient = fileURLToPath(new URL("../fixtures/swing-client.ts", import.meta.url));
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

class Totals {
  runs = 0;
  requests = 0;
  /** Fully sent before the signal, and without a response. */
  failed = 0;
  slowFailed = 0;
  /** Sent after the signal, with a response without `Connection: close`. */
  withoutClose = 0;
  /** Sent after the signal by a client that was too slow: its connection is closed without a response. */
  cut = 0;
  refusing = 0;
  exits: (number | string | null)[] = [];
  streamsEnded = 0;
  /** Milliseconds past the slowest request. */
  slowestExit = 0;
  secondSignal: number[] = [];
}

export const part: Part = {
  id: "L1",
  title: "SIGTERM and SIGINT with 100 busy clients, 20 slow requests, idle, half-sent and event-stream connections",
  bar: "100 runs: 0 failed of those fully sent before; every response after it `Connection: close`; new connects refused; exit 0 ≤ slowest + 1 s; a second signal ends it ≤ 200 ms",
  needs: [],
  alone: true,
  async run({ short, say }) {
    const runs = short ? parallel : 100;
    const slow = short ? 8000 : 2000; // beyond a stall of the machine, or they end before the signal
    const totals = new Totals();
    let next = 0;
    const work = async () => {
      while (next < runs) {
        const run = next++;
        const signal = run % 2 === 0 ? "SIGTERM" : "SIGINT";
        if (run % 10 === 4) await stopTwice(signal, totals);
        else await stopOnce(signal, slow, totals);
        totals.runs++;
        say(`${totals.runs} of ${runs} runs`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, runs) }, work));
    const stops = totals.exits.length;
    return new Figures()
      .show("runs", runs)
      .show("requests", totals.requests)
      .exactly("failed of those sent before", totals.failed, 0)
      .exactly("slow ones failed", totals.slowFailed, 0)
      .exactly("later responses without close", totals.withoutClose, 0)
      .show("later requests cut", totals.cut)
      .exactly("refuses new connects", totals.refusing, stops)
      .exactly("event streams ended", totals.streamsEnded, stops)
      .exactly("exit code not 0", totals.exits.filter((code) => code !== 0).length, 0)
      .inTime("exit after the slowest s", totals.slowestExit / 1000, 1)
      .atLeast("second signals", totals.secondSignal.length, 1)
      .inTime("exit after the second ms", Math.max(...totals.secondSignal), 200)
      .done();
  },
};

function stopOnce(signal: NodeJS.Signals, slow: number, totals: Totals): Promise<void> {
  return ChildServer.run("stoppable.ts", ["{}"], async (server) => {
    const swinging = fork(swingClient, [String(server.port), String(clients)], {
      execArgv: ["--conditions=@tenon/source"],
      serialization: "json",
    });
    await once(swinging, "message");
    const report = once(swinging, "message");
    const slowOnes = Array.from({ length: slowClients }, () => server.connect().send(get(`/wait/${slow}`)));
    const idle = Array.from({ length: few }, () => server.connect().send(get("/fast")));
    const half = Array.from({ length: few }, () => server.connect().send("GET /fast HTTP/1.1\r\nHo"));
    const events = server.connect().send(get("/events"));
    await Promise.all([
      ...idle.map((client) => client.responses(1)),
      events.until(({ text }) => text.includes("data: 1"), "event"),
    ]);
    await sleep(200);
    const slowestEnds = performance.now() + slow; // the slow ones were sent before
    server.signal(signal);
    await server.waitFor("signalled");
    await Promise.all(half.map((client) => client.untilClosed()));
    if (await isRefused(server)) totals.refusing++;
    for (const client of slowOnes) if (!isWhole(await client.untilClosed())) totals.slowFailed++;
    if ((await events.untilClosed())[0]?.complete === true) totals.streamsEnded++;
    totals.exits.push((await server.exit()) as number | null); // an exit code
    totals.slowestExit = Math.max(totals.slowestExit, performance.now() - slowestEnds);
    count((await report)[0] as SentRequest[][], server.signalledAt, totals); // the fixture's own protocol
  });
}

function isWhole(replies: Awaited<ReturnType<RawClient["untilClosed"]>>): boolean {
  const [reply] = replies;
  return reply?.status === 200 && reply.complete && reply.headers.get("connection") === "close";
}

function count(connections: readonly (readonly SentRequest[])[], signalled: number, totals: Totals): void {
  for (const { begun, succeeded, close } of connections.flat()) {
    totals.requests++;
    if (!succeeded && begun < signalled) totals.failed++;
    else if (!succeeded) totals.cut++;
    else if (!close && begun > signalled) totals.withoutClose++;
  }
}

/** The listening socket closes a moment after the signal. */
async function isRefused(server: ChildServer): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const client = server.connect();
    await new Promise((resolve) => client.socket.once("connect", resolve).once("close", resolve));
    if (client.reset) return true;
    client.socket.destroy();
    await sleep(10);
  }
  return false;
}

function stopTwice(signal: NodeJS.Signals, totals: Totals): Promise<void> {
  return ChildServer.run("stoppable.ts", ["{}"], async (server) => {
    server.connect().send(get("/hang"));
    await server.waitFor("hanging");
    server.signal(signal);
    await server.waitFor("signalled");
    await sleep(300);
    const start = performance.now();
    server.signal(signal);
    await server.exit();
    totals.secondSignal.push(performance.now() - start);
  });
}
