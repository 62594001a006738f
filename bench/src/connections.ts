import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type BarResult, measureParts, Part } from "./bar.ts";
import { atLeast, atMost, peerOf, scenarioOf } from "./bars.ts";
import { load, prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import { buildPackages, createFolder } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { createScenarios } from "./scenarios.ts";
import { Server, type ServerOptions } from "./server.ts";

const compared = ["json", "params", "body", "middlewares", "list", "routes"] as const;
const slice = 3; // seconds
const idleConnections = 10_000;

/** The bars that need time on the clock, and a machine with nothing beside them. */
export async function measureConnections(options: Options): Promise<BarResult[]> {
  const limit = options.minutes * 60_000;
  const progress = new Progress(limit, () => performance.now());
  const folder = createFolder();
  const scenarios = await createScenarios();
  if (options.tenon === "dist") buildPackages();
  const server: ServerOptions = { tenon: options.tenon, database: "" };
  const scriptOf = (name: (typeof compared)[number]) => prepareLoad(scenarioOf(scenarios, name), folder);

  /** Each server alone, in turn. */
  const alternate = async <T>(names: readonly string[], round: number, measure: (name: string) => Promise<T>) => {
    const results = new Map<string, T>();
    for (const name of inTurn(names, round)) results.set(name, await measure(name));
    return results;
  };
  const ratio = (results: ReadonlyMap<string, number>, one: string, other: string) =>
    (results.get(one) ?? Number.NaN) / (results.get(other) ?? Number.NaN);

  const p99 = compared.map((name) => {
    const { letter } = scenarioOf(scenarios, name);
    const script = scriptOf(name);
    return new Part([atMost(`(${letter}) p99 to node:http`, 1)], async (round) => {
      const results = await alternate(["tenon", "node"], round, async (peer) => {
        progress.show(`round ${round + 1}, p99 of ${letter})`, peer);
        return withServer(peer, name, server, async ({ port }) => {
          await load(port, script, slice); // warms up
          return (await load(port, script, slice)).p99;
        });
      });
      return [ratio(results, "tenon", "node")];
    });
  });

  const memory = new Part([atMost("memory of an idle connection to node:http", 1)], async (round) => {
    const results = await alternate(["tenon", "node"], round, async (peer) => {
      progress.show(`round ${round + 1}, idle connections`, peer);
      return withServer(peer, "idle", server, memoryOfConnections);
    });
    return [ratio(results, "tenon", "node")];
  });

  const workers = new Part([atLeast("two workers to one, 300 µs of work", 1.8)], async (round) => {
    const script = scriptOf("json");
    const results = await alternate(["2", "1"], round, async (count) => {
      progress.show(`round ${round + 1}, ${count} workers`);
      return withServer("tenon", "work", { ...server, workers: Number(count) }, async ({ port }) => {
        await load(port, script, 1);
        const { requests, seconds } = await load(port, script, slice);
        return requests / seconds;
      });
    });
    return [ratio(results, "2", "1")];
  });

  const results = await measureParts([...p99, memory, workers], () => performance.now() < limit);
  progress.end();
  return results;
}

async function withServer<T>(
  peer: string,
  scenario: string,
  options: ServerOptions,
  measure: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await Server.start(peerOf(peer), scenario, options);
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

/** Bytes that the server needs for each of many connections, after a request on each. */
async function memoryOfConnections(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  try {
    for (let warmup = 0; warmup < 200; warmup++) sockets.push(await open(server.port));
    await sleep(500);
    const before = server.resident;
    for (let count = 0; count < idleConnections; count += 100) {
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(server.port)))));
    }
    await sleep(1000);
    return (server.resident - before) / idleConnections;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** A connection that has got the response to its only request. */
function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket.once("error", reject).once("data", () => resolve(socket));
  });
}
