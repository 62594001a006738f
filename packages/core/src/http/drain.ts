import { Server } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Log } from "../log.ts";
import type { Connection } from "./connection.ts";

export interface DrainOptions {
  readonly connections: ReadonlyMap<unknown, Connection>;
  /** Sockets that have not finished their TLS handshake. */
  readonly handshakes: ReadonlyMap<string, { destroy(): unknown }>;
  readonly endStreams: () => void;
  readonly timeout: number;
  readonly log: Log;
}

const stallCheck = 400;
const followUpTurns = 20; // of ten milliseconds

/** No new connections; what was fully sent is answered; the rest closes, at the latest when the deadline is over. */
export async function drain(server: Server, options: DrainOptions): Promise<void> {
  const { connections, handshakes } = options;
  const resume = await acceptWaiting(server, connections);
  const closed = new Promise<void>((resolve) => {
    // not http's own close(): it cuts idle sockets before their waiting requests are read
    Server.prototype.close.call(server, () => resolve());
  });
  resume();
  await turn();
  await turn();
  options.endStreams();
  for (const socket of handshakes.values()) socket.destroy();
  for (const connection of connections.values()) {
    if (!connection.answered) endWithReply(connection);
    else if (connection.idle) connection.socket.destroy();
  }
  // a client in full swing has its next request under way: answered with `Connection: close`, it knows where it stands
  const isWaiting = (connection: Connection) => connection.answered && !connection.socket.destroyed;
  for (let turns = 0; turns < followUpTurns && [...connections.values()].some(isWaiting); turns++) await sleep(10);
  for (const connection of connections.values()) if (connection.answered) connection.socket.destroy();
  const giveUpStalledBodies = () => {
    for (const { incoming } of connections.values()) incoming?.giveUpStalledBody();
  };
  giveUpStalledBodies(); // the first time only notes how far they have come
  const stalled = setInterval(giveUpStalledBodies, stallCheck);
  const deadline = setTimeout(() => {
    const running = [...connections.values()].filter((connection) => !connection.answered);
    const requests = running
      .map(({ incoming }) => incoming)
      .filter((incoming) => incoming !== undefined)
      .map(({ method, path }) => `${method} ${path}`);
    options.log.warn(
      { connections: connections.size, requests: requests.slice(0, 10) },
      "the stop took too long: requests that still run are cut off",
    );
    for (const { socket } of connections.values()) socket.destroy();
  }, options.timeout);
  await closed;
  clearTimeout(deadline);
  clearInterval(stalled);
}

/** A reply that is still to come says `Connection: close`; one whose head is out can only be followed by the end. */
function endWithReply(connection: Connection): void {
  const { res } = connection;
  if (res?.headersSent !== true || connection.hasWaiting) return;
  connection.closing = true;
  res.once("close", () => connection.linger());
}

/**
 * Milliseconds for which connections are still accepted: a steady stream of new ones must not keep the listener open.
 * Of processor time, because a process that others hold up has not drained its backlog yet.
 */
const backlogTime = 100;

/**
 * Connections that wait in the backlog when the stop begins are accepted: closing the listener would reset them. The
 * event loop accepts one in each round, so two rounds without a new one mean that the backlog is empty. Nothing is read
 * meanwhile, because a round that serves requests takes long. Returns what lets the connections be read again.
 */
async function acceptWaiting(server: Server, connections: DrainOptions["connections"]): Promise<() => void> {
  let quiet = 0;
  const count = () => {
    quiet = 0;
  };
  server.on("connection", count);
  const paused: Connection["socket"][] = [];
  const start = process.threadCpuUsage();
  const spent = () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
  while (quiet < 2 && spent() < backlogTime) {
    for (const { socket } of connections.values()) if (!socket.isPaused()) paused.push(socket.pause());
    quiet++;
    await turn();
  }
  server.off("connection", count);
  return () => {
    for (const socket of paused) socket.resume();
  };
}
